"""A variable is called as the function that would count the rows."""

import torch


def _decay(t, k):
    t *= k
    return t.sum()


def averaged(x, w):
    h = torch.exp(x)
    len = h.size(0)
    with torch.no_grad():
        for row in h.detach():
            row *= 2
    for row in h:
        row *= w
    return h / len


def summed(x, w):
    h = x.exp()
    outs = [h]
    total = 0
    for _ in range(2):
        total = total + h * _decay(h, w)
    return total, outs


def run(x, w):
    with torch.no_grad():
        scaled = averaged(x, w)
    return scaled, summed(x, w)


def example():
    torch.manual_seed(0)
    return run, (torch.randn(4, 4, requires_grad=True), torch.rand(4))
