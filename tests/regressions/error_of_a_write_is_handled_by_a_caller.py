"""A caller two calls up handles the error of a write whose operand has more dimensions."""

import torch


def scale(h, k):
    h = h.exp()
    h *= k
    return h


def mid(x, k):
    return scale(x, k) + 1


def f(x):
    try:
        return mid(x, torch.ones(2, 3))
    except RuntimeError:
        return x * 5


def example():
    return f, (torch.arange(3.0).requires_grad_(),)
