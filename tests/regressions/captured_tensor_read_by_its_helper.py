"""The nested function reads the written tensor by its captured name as well."""

import torch


def f(a):
    h = a.exp()

    def helper(x):
        x.mul_(2)
        return (x * h).sum()

    s = h.pow(2).sum()
    t = helper(h)
    return s + t


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
