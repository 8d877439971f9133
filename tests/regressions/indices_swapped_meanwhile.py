"""Two indices are swapped after a view was taken with one: the view can't be made again with it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    i, j = 0, 1
    v = y[i]
    i, j = j, i
    y += 1
    return v


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
