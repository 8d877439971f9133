"""A power saves a view of the whole, which the second store overwrites: the tensor is cloned for it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    v = y.view(-1)
    y[0] = 1.0
    w = v**2
    y[1] = 2.0
    return w.sum() + y.sum()


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
