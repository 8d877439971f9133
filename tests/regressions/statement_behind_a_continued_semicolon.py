"""A statement behind a semicolon and a continued line gets its clone in the same line."""

import torch


def f(x: torch.Tensor):
    y = x.exp(); \
    y[0] = 1.0
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
