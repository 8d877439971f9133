"""A function that makes fractions raises in place for integers, which a caller handles."""

import torch


def put(t):
    t = t.clone()
    t.sigmoid_()
    return t


def g(t, default):
    try:
        return put(t)
    except RuntimeError:
        return default


def f(x):
    return g(torch.arange(3), "int"), g(x, "int")


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
