"""The same with an inner `for`, and with `y.split(1)` or `y.unbind(0)`."""

import torch


def f(a):
    y = a.exp()
    rows = [r for _ in range(2) for r in list(y.split(1))]
    s = 0.0
    for i in range(4):
        s = s + rows[i].pow(2).sum()
        rows[i].mul_(2)
    return s


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
