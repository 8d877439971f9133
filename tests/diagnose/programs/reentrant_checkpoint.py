# cause: out-of-place, fix: safe
import torch
from torch.utils.checkpoint import checkpoint


def block(h: torch.Tensor) -> torch.Tensor:
    y = h.exp()  # victim
    y += 1  # culprit
    return y


x = torch.rand(4, requires_grad=True)
checkpoint(block, x * 2, use_reentrant=True).sum().backward()
