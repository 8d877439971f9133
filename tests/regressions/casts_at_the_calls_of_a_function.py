"""The calls of a function pass float32 and float64, once each way round."""

import torch


def _axpy(y, x):
    y = y.exp()
    y += x
    return y


def f(x):
    a = _axpy(x, x.double())
    b = _axpy(x.double(), x)
    return a, b


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
