"""Who iterates over a generator asks for the strides of what it yields."""

import torch


def parts(x):
    for k in range(2):
        y = (x * (k + 1)).exp().t()
        y.masked_fill_(y > 2, 0.0)
        yield y


def f(x):
    return [p.t().view(-1) for p in parts(x)] + [p.is_contiguous() for p in parts(x)]


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
