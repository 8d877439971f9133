"""`y = (b := x.exp())` binds two names to one tensor."""

import torch


def f(x: torch.Tensor):
    y = (b := x.exp())
    y += 1
    return b * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
