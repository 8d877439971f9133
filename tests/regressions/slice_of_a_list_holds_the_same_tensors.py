"""`xs[::-1]` is another list of the same tensors, in another order."""

import torch


def f(x: torch.Tensor):
    a, b = x.exp(), x.sin()
    xs = [a, b]
    ys = xs[::-1]
    ys[0] += 1
    return a, b


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
