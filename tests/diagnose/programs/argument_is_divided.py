# cause: out-of-place, fix: safe
import torch


def normalise(h: torch.Tensor) -> torch.Tensor:
    h /= h.norm(dim=-1, keepdim=True)  # victim, culprit
    return h


x = torch.randn(3, 4, requires_grad=True)
normalise(x * 2).sum().backward()
