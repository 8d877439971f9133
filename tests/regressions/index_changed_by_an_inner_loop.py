"""An inner loop uses the variable with which a view was taken: the view can't be made again with it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    for i in range(2):
        v = y[i]
        for i in range(1):
            pass
        y += 1
        z = v * 2
    return z


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
