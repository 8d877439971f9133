"""`unsqueeze_` changes the shape of `y`, not of the view that was taken of it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    v = y[0]
    y.unsqueeze_(0)
    return v, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
