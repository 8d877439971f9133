"""A view whose base has no name left is rebound alone: what the base was called is another tensor now."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    v = y[0]
    y = x.sin()
    v += 1
    return v, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
