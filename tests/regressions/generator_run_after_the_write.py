"""A generator expression reads its names when it is run: after the write, so that they must be bound by then."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    z = y
    g = (z * k for k in range(1, 3))
    y += 1
    return sum(g), y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
