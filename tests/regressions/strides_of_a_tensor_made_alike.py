"""A tensor that is made like another one has its strides."""

import torch


def f(x):
    y = x.exp().t()
    y.masked_fill_(y > 1, 0)
    buf = torch.empty_like(y)
    return y, buf.stride(), torch.zeros_like(y).is_contiguous()


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
