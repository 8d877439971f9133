"""`y.lerp_(x, 0.5).sqrt_()` becomes one chain out of place, in the same order."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    y.lerp_(x, 0.5).sqrt_()
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
