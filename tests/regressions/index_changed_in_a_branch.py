"""A branch may have changed the index with which a view was taken: the view can't be made again with it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    i = 0
    v = y[i]
    if x.sum() > 0:
        i = 1
    y += 1
    return v


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
