"""A detached view becomes a leaf by an attribute: it can't be made again from the new tensor."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    v = y.detach()
    v.requires_grad = True
    y += 1
    return v * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
