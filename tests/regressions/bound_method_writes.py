"""A bound in-place method under a name of its own (`add = y.add_`) writes its tensor, unseen by name."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    add = y.add_
    add(1)
    z = y * 1
    y += 1
    return z * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
