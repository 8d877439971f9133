"""Powers of a batch of numbers up to a fixed order, through functools.partial.

Torch: vmap: inplace arithmetic
"""
from functools import partial

import torch


def powers(order, x):
    out = torch.ones(order + 1)
    for k in range(1, order + 1):
        out[k] = x ** k
    return out


def fit(xs, coef):
    features = torch.vmap(partial(powers, 3))(xs)
    return features @ coef


def example():
    torch.manual_seed(0)
    return fit, (torch.rand(5, requires_grad=True), torch.randn(4, requires_grad=True))
