"""Who calls a function by its name in globals() handles the error of its write."""

import torch

FALLBACK = {}


def safe_call(name, *args):
    try:
        return globals()[name](*args)
    except RuntimeError:
        return FALLBACK.setdefault(name, torch.zeros(2))


def widen(x):
    y = x.sum(0)
    y *= x
    return y


def f(x):
    return safe_call("widen", x)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
