"""`retain_grad()` behind a write is asked of the tensor that the write left."""

import torch


def f(x: torch.Tensor):
    y = x * 2
    y += 1
    y.retain_grad()
    (y * y).sum().backward()
    return y.grad


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
