"""The decorator of a function handles the error of its write."""

import functools

import torch


def safe(fn):
    @functools.wraps(fn)
    def w(*a):
        try:
            return fn(*a)
        except RuntimeError:
            return a[0] * 7

    return w


@safe
def scale(h, k):
    h = h.exp()
    h *= k
    return h


def f(x):
    return scale(x, torch.ones(2, 3))


def example():
    return f, (torch.arange(3.0).requires_grad_(),)
