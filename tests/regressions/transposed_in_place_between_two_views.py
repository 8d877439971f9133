"""`t_()` comes between two views: rows and columns of one memory overlap."""

import torch


def f(x: torch.Tensor):
    y = x * 2
    a = y[0]
    y.t_()
    b = y[1]
    b += 1
    return a * b


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
