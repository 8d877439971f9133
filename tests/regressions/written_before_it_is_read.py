"""An operand that a later operand's call writes is what the operation saves: a copy of it is made too early."""

import torch


def decay(t, k):
    t *= k
    return t.sum()


def f(x, w):
    h = x.exp()
    kept = [h]
    total = 0
    for _ in range(2):
        total = total + h * decay(h, w)
    g = x.exp()
    return total, kept, torch.dot(g, g.mul_(w)), [g]


def example():
    return f, (torch.tensor([0.5, -1.0], requires_grad=True), torch.tensor([1.5, 2.0], requires_grad=True))
