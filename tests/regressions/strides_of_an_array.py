"""The array of a tensor tells its strides."""

import torch


def f(x):
    y = x.detach().exp().t()
    y.masked_fill_(y > 1, 0.0)
    a = y.numpy()
    return bool(a.flags["C_CONTIGUOUS"]), a.strides[0], y


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
