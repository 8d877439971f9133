"""A view carries an attribute, which one made again wouldn't have."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    v = y[0]
    v.tag = 1
    y += 1
    return v * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
