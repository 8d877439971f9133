"""In `y[m] = z[m]` the right side has the selected elements alone: it can't stand in `torch.where` as it is."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    z = x.sin()
    m = y > 2
    y[m] = z[m]
    return y * z


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
