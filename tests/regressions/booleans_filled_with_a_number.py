"""`fill_(3)` leaves booleans booleans: what takes its place has the same dtype and value."""

import torch


def f(x: torch.Tensor):
    y = x > 1
    y.fill_(3)
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
