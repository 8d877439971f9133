"""`xs[:] = [b, a]` replaces the elements: the list isn't bound by the indices from before."""

import torch


def f(x: torch.Tensor):
    a, b = x.exp(), x.sin()
    xs = [a]
    xs[:] = [b, a]
    a += 1
    return xs


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
