"""A helper hands its argument on to one that writes it, in its `return`: the outer caller sees the write."""

import torch


def _a(h: torch.Tensor) -> torch.Tensor:
    h += 1
    return h


def _b(h: torch.Tensor) -> torch.Tensor:
    return _a(h) * 2


def run(x: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    z = _b(y)
    return y * z


def example():
    return run, (torch.tensor([[0.3, -1.2], [0.7, 0.4]], requires_grad=True),)
