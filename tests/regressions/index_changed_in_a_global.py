"""A function changes the global index with which a view was taken: the view can't be made again with it."""

import torch

i = 0


def step():
    global i
    i = 1


def f(x: torch.Tensor):
    y = x.exp()
    v = y[i]
    step()
    y += 1
    return v, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
