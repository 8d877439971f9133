"""`y.gt_(2)` leaves floats, where `y.gt(2)` makes booleans, which nothing can be added to in the same way."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    y.gt_(2).add_(1)
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
