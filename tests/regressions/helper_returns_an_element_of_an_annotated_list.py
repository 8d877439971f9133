"""A helper with `List[torch.Tensor]` in its signature returns an element of the list: the tensor that is written."""

from typing import List

import torch


def first(xs: List[torch.Tensor]):
    return xs[0]


def f(x: torch.Tensor):
    y = x.exp()
    z = first([y])
    y += 1
    return z * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
