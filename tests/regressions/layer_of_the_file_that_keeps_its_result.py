"""A class with the name of a layer keeps what it is called with."""

import torch


class Linear:
    def __init__(self):
        self.calls = []

    def __call__(self, x):
        self.calls.append(x)
        return x


def f(x):
    lin = Linear()
    y = lin(x * 1)
    y += 1
    return y, lin.calls


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
