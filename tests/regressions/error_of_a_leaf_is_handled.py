"""A caller handles the error of a write to a leaf."""

import torch


def bump(p):
    p += 1
    return p


def f(x):
    p = x.detach().clone().requires_grad_()
    try:
        p = bump(p)
        ok = 1
    except RuntimeError:
        ok = 0
    return p * 2, ok


def example():
    return f, (torch.arange(3.0).requires_grad_(),)
