"""A write to a view is seen by its base and by the view that was taken of it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    v = y.view(-1)
    w = v[1:]
    v += 1
    return w, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
