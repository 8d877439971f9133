"""`y.data = y.data * 2` has no graph to offer: `y` isn't rebound, which would cut its gradient."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    z = y
    y.data = y.data * 2
    return y, z


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
