"""A helper that returns either of its arguments may return the one that is written later."""

import torch


def pick(a, b, c):
    if c:
        return a
    return b


def f(x: torch.Tensor):
    y, w = x.exp(), x.sin()
    z = pick(y, w, True)
    y += 1
    return z * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
