"""`y.detach().mul_(2)` writes `y` through a view without a name."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    y.detach().mul_(2)
    return y * 2


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
