"""A named tuple carries mean and variance of a filter; the update writes into the mean.

Torch: modified by an inplace operation
"""
from collections import namedtuple

import torch

Belief = namedtuple("Belief", ["mean", "var"])


def predict(b, q):
    return Belief(torch.tanh(b.mean + q), b.var * 0.81 + q)


def update(b, z, r):
    gain = b.var / (b.var + r)
    mean = b.mean
    mean += gain * (z - mean)
    return b._replace(mean=mean, var=b.var * (1 - gain))


def run_filter(zs, q, r):
    b = Belief(torch.zeros(2), torch.ones(2))
    nll = 0.0
    for z in zs:
        b = predict(b, q)
        nll = nll + ((z - b.mean) ** 2 / b.var).sum()
        b = update(b, z, r)
    return nll


def example():
    torch.manual_seed(0)
    return run_filter, (torch.randn(3, 2), torch.tensor(0.3, requires_grad=True), torch.tensor(0.5, requires_grad=True))
