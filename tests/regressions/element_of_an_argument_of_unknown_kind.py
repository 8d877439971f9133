"""What a helper takes of an argument by an index is a view of the tensor that the caller passes."""

import torch


def first(t):
    return t[0]


def pair(t, i):
    return t[0], t[i]


def run(x):
    h = x * 1
    v = first(h)
    v += 1
    k = x.exp()
    a, b = pair(k, 1)
    a *= 2
    last = lambda t: t[-1]
    w = last(h)
    w -= 1
    return h.sum() + k.sum() + b.sum()


def example():
    return run, (torch.tensor([[0.3, -0.8], [1.2, 0.5]], requires_grad=True),)
