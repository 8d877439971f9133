"""A helper returns the tensor in an attribute of its argument, not a new one."""

import torch


class Box:
    pass


def get(b):
    return b.h


def f(x: torch.Tensor):
    b = Box()
    b.h = x.exp()
    z = get(b)
    b.h += 1
    return z


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
