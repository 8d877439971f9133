"""A call with `out=` inside an expression can't bind the name in the same place."""

import torch


def f(x: torch.Tensor):
    v = torch.empty(2, 2)
    w = torch.exp(x.detach(), out=v) * 2
    return v * w


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
