"""A view of another name in the same call, the tensor read afterwards."""

import torch


def helper(x, v):
    x.mul_(2)
    return x.sum() + v.sum()


def f(a):
    h = a.exp()
    g = h
    s = h.pow(2).sum()
    t = helper(h, g[0])
    return s + t + h.sum()


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
