"""A write in what a `for` runs over is made once, before the first round."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    t = 0
    for row in y.add_(1):
        t = t + row * y[0]
    return t


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
