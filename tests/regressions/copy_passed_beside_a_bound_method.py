"""A bound method of the written tensor is passed, too."""

import torch


def helper(x, total):
    x.mul_(2)
    return x.sum() + total()


def f(a):
    h = a.exp()
    s = h.pow(2).sum()
    return s + helper(h, h.sum)


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
