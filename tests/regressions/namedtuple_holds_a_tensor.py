"""A field of a named tuple is the tensor that it was made of, and can't be bound again."""

from collections import namedtuple

import torch

P = namedtuple("P", "a b")


def f(x: torch.Tensor):
    y = x.exp()
    p = P(y, 1)
    y += 1
    return p.a * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
