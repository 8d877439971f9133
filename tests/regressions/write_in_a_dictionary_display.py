"""Keys and values of a display are worked out in turn: a write in one value comes before the next key."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    d = {1: y.add_(1), y.sum().item(): 2}
    return list(d)


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
