"""`xs[0], xs[1] = xs[1], xs[0]` swaps two elements: `xs[0]` goes with `b` afterwards."""

import torch


def f(x: torch.Tensor):
    a, b = x.exp(), x.sin()
    xs = [a, b]
    xs[0], xs[1] = xs[1], xs[0]
    xs[0] += 1
    return a, b, xs[1]


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
