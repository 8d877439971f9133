"""After `a, b = b, a` the third name goes with `b`, whose tensor it is."""

import torch


def f(x: torch.Tensor):
    a, b = x.exp(), x.sin()
    c = a
    a, b = b, a
    a += 1
    b += 2
    return a, b, c


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
