"""One tensor for two parameters, one written: both become clones, and `y` misses the write."""

import torch


def helper(x, y):
    x.mul_(2)
    return (x + y).sum()


def f(a):
    h = a.exp()
    s = h.pow(2).sum()
    return s + helper(h, h)


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
