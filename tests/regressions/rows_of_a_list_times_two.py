"""A list times a number holds each tensor twice: `rows[i] = rows[i].mul(2)` parts the two."""

import torch


def f(a):
    rows = [r.exp() for r in a] * 2
    s = 0.0
    for i in range(len(rows)):
        s = s + rows[i].pow(2).sum()
        rows[i].mul_(2)
    return s


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
