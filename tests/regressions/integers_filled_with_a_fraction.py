"""`fill_(2.7)` leaves integers integers: what takes its place has the same dtype and value."""

import torch


def f(x: torch.Tensor):
    y = torch.zeros(2, dtype=torch.int32)
    y.fill_(2.7)
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
