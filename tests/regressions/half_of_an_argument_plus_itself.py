"""`x.half()` has the dtype that it says when `x` is added, and may be `x` itself."""

import torch


def f(x: torch.Tensor):
    h = x.half()
    h += x
    return h


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
