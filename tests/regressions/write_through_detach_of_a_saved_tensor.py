"""A write to `y.detach()` overwrites what a product saved, past the rebinding of `y`."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    y += 1
    w = y * y
    d = y.detach()
    d += 1
    return w + y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
