"""A row of an expanded tensor is picked by a tensor of one number, and all rows change."""
import torch


def shifted(q: torch.Tensor) -> torch.Tensor:
    best = q.argmax()
    wide = q.exp().unsqueeze(0).expand(2, -1)
    wide[best] = 1.5
    return wide * 2 + q


def example():
    return shifted, (torch.tensor([0.5, -1.0], requires_grad=True),)
