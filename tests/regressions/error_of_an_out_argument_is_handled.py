"""A caller handles the error of a result that doesn't fit its out=."""

import torch


def total(h, k):
    r = torch.empty(3)
    torch.add(h.detach(), k, out=r)
    return r


def f(x):
    try:
        return total(x, torch.ones(3, dtype=torch.complex64))
    except RuntimeError:
        return x * 5


def example():
    return f, (torch.arange(3.0).requires_grad_(),)
