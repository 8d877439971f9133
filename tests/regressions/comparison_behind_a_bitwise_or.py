"""A comparison behind `|=` gets parentheses, because `|` binds tighter; `^=` needs none."""

import torch


def f(x: torch.Tensor):
    m = x > 1
    m |= x > 2
    m ^= torch.tensor([True, False])
    return m


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
