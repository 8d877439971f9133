"""`xs[0:1] = [b]` makes `xs[0]` another tensor, the one that the list also holds at its end."""

import torch


def f(x: torch.Tensor):
    a, b = x.exp(), x.sin()
    xs = [a, b]
    xs[0:1] = [b]
    xs[0] += 1
    return a, b, xs[1]


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
