"""A helper that gets the function as an argument handles the error of its write."""

import torch


def scale(h, k):
    h = h.exp()
    h *= k
    return h


def retry(fn, *a):
    for i in range(2):
        try:
            return fn(*a)
        except RuntimeError:
            pass
    return a[0] * 7


def f(x):
    return retry(scale, x, torch.ones(2, 3))


def example():
    return f, (torch.arange(3.0).requires_grad_(),)
