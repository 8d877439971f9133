"""A column of an expanded tensor is all of its columns: on a clone the others would stay as they are."""
import torch


def shifted(q: torch.Tensor) -> torch.Tensor:
    wide = q.exp().unsqueeze(1).expand(-1, 3)
    wide[:, 0] += 1
    return wide * 2


def example():
    return shifted, (torch.tensor([0.5, -1.0], requires_grad=True),)
