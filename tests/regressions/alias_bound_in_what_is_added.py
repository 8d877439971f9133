"""`y += (b := y).sum()` binds the alias before the write: it gets the new tensor after it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    y += (b := y).sum()
    return b * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
