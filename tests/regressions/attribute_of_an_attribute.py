"""`c = b.i` names the inner object: `b.i.h` and `c.h` are one place."""

import torch


class Box:
    pass


def f(x: torch.Tensor):
    b = Box()
    b.i = Box()
    b.i.h = x.exp()
    c = b.i
    z = c.h
    b.i.h += 1
    return z * 1


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
