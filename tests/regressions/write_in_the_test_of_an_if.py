"""A write in the test of an `if` moves in front of it, and the second name with it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    b = y
    if y.add_(1).sum() > 0:
        r = b * 2
    else:
        r = b * 3
    return r


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
