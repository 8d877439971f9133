"""`typing.cast` returns its argument: both names are bound to the new tensor."""

from typing import cast

import torch


def f(x: torch.Tensor):
    y = x.exp()
    z = cast(torch.Tensor, y)
    y += 1
    return z * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
