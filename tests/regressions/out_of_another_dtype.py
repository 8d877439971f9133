"""The tensor given as `out=` has a wider dtype than the operands: their result wouldn't have it."""

import torch


def f(x: torch.Tensor):
    c = torch.empty(2, 2, dtype=torch.float64)
    with torch.enable_grad():
        torch.add(x.detach(), 1, out=c)
    return c * x


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
