"""A comprehension calls `list(y)` once for each round; its copies are made anew, so elements no longer share a."""

import torch


def f(a):
    y = a.exp()
    rows = [list(y)[i] for i in (0, 0)]
    s = 0.0
    for i in range(2):
        s = s + rows[i].pow(2).sum()
        rows[i].mul_(2)
    return s


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
