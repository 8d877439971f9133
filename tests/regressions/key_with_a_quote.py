"""A key with a quote in it (`"it's"`) is written as it was when its entry is bound again."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    d = {"it's": y}
    y += 1
    return d, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
