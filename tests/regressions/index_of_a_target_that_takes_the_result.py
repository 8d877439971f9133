"""The index of the target reads what the call writes."""

import torch


def _helper(x):
    x.mul_(2)
    return x.sum()


def f(a):
    h = a.exp()
    s = h.pow(2).sum()
    q = {}
    q[float(h.sum())] = _helper(h)
    return s + list(q)[0] + h.sum()


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
