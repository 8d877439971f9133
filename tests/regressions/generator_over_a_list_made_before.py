"""The list that a generator expression runs over is made at once: it holds the tensor from before the write."""

import torch


def unroll(x: torch.Tensor) -> torch.Tensor:
    h = x.exp()
    doubled = (v * 2 for v in [h])
    h += 1
    return next(doubled) * h


def example():
    return unroll, (torch.tensor([[0.3, -1.2], [0.7, 0.4]], requires_grad=True),)
