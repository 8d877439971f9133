"""`del xs[0]` moves the elements behind it: the list isn't bound by the indices from before."""

import torch


def f(x: torch.Tensor):
    y, z = x.exp(), x.sin()
    xs = [y, z]
    del xs[0]
    y += 1
    return xs, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
