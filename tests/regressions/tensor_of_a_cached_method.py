"""A cached method gives the same tensor again."""

from functools import lru_cache

import torch
import torch.nn as nn


class Grid(nn.Module):
    @lru_cache(maxsize=4)
    def mask(self, n):
        return torch.ones(n, n).tril()

    def forward(self, x):
        m = self.mask(3)
        m[0] += 1
        return x @ m


def f(x):
    g = Grid()
    return g(x), g(x)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
