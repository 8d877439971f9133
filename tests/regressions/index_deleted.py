"""The index with which a view was taken is deleted: the view can't be made again with it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    i = 0
    v = y[i]
    del i
    y += 1
    return v


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
