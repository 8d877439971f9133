"""A helper returns its argument five lists deep, and there it still is the tensor that is written."""

import torch


def mk(a):
    return [[[[[a]]]]]


def f(x: torch.Tensor):
    y = x.exp()
    d = mk(y)
    y += 1
    return d[0][0][0][0][0] * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
