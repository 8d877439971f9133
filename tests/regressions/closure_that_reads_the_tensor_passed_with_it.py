"""A private helper calls a function that reads the written tensor: rebound only after the call."""

import torch


def _helper(x, fn):
    x.mul_(2)
    return x.sum() + fn()


def f(a):
    h = a.exp()

    def k():
        return h.sum()

    s = h.pow(2).sum()
    t = _helper(h, k)
    return s + t


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
