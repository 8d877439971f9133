"""A later argument writes the tensor: the clone of the earlier argument is made before that."""

import torch


def helper(x):
    x.mul_(2)
    return x.sum()


def two(x, y):
    x.mul_(2)
    return x.sum() * y


def f(a):
    h = a.exp()
    s = h.pow(2).sum()
    return s + two(h, helper(h))


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
