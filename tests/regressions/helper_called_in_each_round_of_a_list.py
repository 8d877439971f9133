"""A list comprehension calls the private helper twice with one tensor: `x = x.mul(2)` loses the first write."""

import torch


def _helper(x):
    x.mul_(2)
    return x.sum()


def f(a):
    h = a.exp()
    s = h.pow(2).sum()
    return s + sum([_helper(h) for _ in range(2)])


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
