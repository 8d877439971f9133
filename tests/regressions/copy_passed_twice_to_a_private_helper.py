"""The same with a private helper: `x = x.mul(2)` and `_helper(h, h.clone())`; `y` misses the write."""

import torch


def _helper(x, y):
    x.mul_(2)
    return (x + y).sum()


def f(a):
    h = a.exp()
    s = h.pow(2).sum()
    return s + _helper(h, h)


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
