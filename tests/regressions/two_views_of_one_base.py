"""A write to one of two views is seen through their base, and not through the other view."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    v, w = y[0], y[1]
    v += 1
    return y, w


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
