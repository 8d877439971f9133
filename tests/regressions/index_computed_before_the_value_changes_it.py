"""The index of `q[index] += helper(h)` is evaluated before the call writes; `q[index] = q[index] + helper(h)`."""

import torch


def helper(x):
    x.mul_(2)
    return x.sum()


def f(a):
    h = a.exp()
    s = h.pow(2).sum()
    q = torch.ones(2)
    q[int(h.sum() > 20)] += helper(h)
    return s + q[0]


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
