"""An inner function reverses a list: its elements can't be bound again by the indices from before."""

import torch


def f(x: torch.Tensor):
    y, w = x.exp(), x.sin()
    xs = [y, w]

    def rev():
        xs.reverse()

    rev()
    y += 1
    return xs


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
