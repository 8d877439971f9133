"""An inner function changes the index with which a view was taken: the view can't be made again with it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    i = 0

    def step():
        nonlocal i
        i = 1

    v = y[i]
    step()
    y += 1
    return v, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
