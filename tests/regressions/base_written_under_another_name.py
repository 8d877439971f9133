"""The name that a view was taken of means another tensor by now: a write by the base's other name reaches the view."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    v = y[0]
    w = y
    y = x.sin()
    w += 1
    return v, y, w


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
