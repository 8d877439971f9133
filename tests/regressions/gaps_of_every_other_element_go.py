"""In place every other element of a vector stays where it is; out of place the result is dense."""

import torch


def f(x):
    y = x.exp()[::2]
    y.addmv_(torch.ones(3, 2), torch.ones(2))
    return y, y.stride(), y.is_contiguous()


def example():
    return f, (torch.randn(6).requires_grad_(),)
