"""A function of the standard library takes the tensor of an attribute."""

from operator import attrgetter

import torch


class Box:
    def __init__(self, t):
        self.t = t


def _step(x):
    b = Box(x * 1)
    get = attrgetter("t")
    z = get(b)
    z.mul_(2)
    z += 1
    return b.t


def f(x):
    outs = []
    for k in range(2):
        outs.append(_step(x * (k + 1)))
    return outs


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
