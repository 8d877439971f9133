"""The `else` of a `while` reads the alias that the rounds wrote."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    b = y
    n = 0
    while n < 2:
        n += 1
        y += 1
    else:
        return b * y
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
