"""A store into `.data` of a tensor that a product saved changes gradients without an error, and stays."""

import torch


def f(x: torch.Tensor):
    y = x * 2
    w = y * y
    d = y.data
    d[0] = 3.0
    return w + y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
