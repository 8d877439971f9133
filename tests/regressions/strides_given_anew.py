"""as_strided() takes the elements in the order in which they lie in memory."""

import torch


class Engine:
    def __init__(self, scale=1.0):
        self.scale = scale

    def run(self, x):
        y = x.exp().t()
        y.masked_fill_(y < 1, 0.0)
        return torch.as_strided(y, (12,), (1,)) * 2


def f(x):
    return Engine().run(x)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
