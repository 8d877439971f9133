"""A bound method under a name of its own (`g = y.view`) makes a view of its tensor."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    g = y.view
    v = g(-1)
    y += 1
    return v


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
