"""A function returns another one that goes on reading its argument."""

import torch


def make(t):
    def g(k):
        return t * k

    return g


def f(x):
    y = x * 1
    g = make(y)
    y += 1
    y.mul_(2)
    return g(2)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
