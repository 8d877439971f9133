"""A tensor that is rebound before `requires_grad_()` still is the leaf that gets the gradient."""

import torch


def f(x: torch.Tensor):
    w = torch.zeros(2)
    w += 1
    w.requires_grad_()
    y = (w * x).sum()
    y.backward()
    return w


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
