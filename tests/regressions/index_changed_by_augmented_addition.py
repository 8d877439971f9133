"""`i += 1` on a number changes the index with which a view was taken."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    i = 0
    v = y[i]
    i += 1
    y += 1
    return v, y, i


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
