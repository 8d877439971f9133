"""After `xs.pop(0)` the first element is what was the second one."""

import torch


def f(x: torch.Tensor):
    a, b = x.exp(), x.sin()
    xs = [a, b]
    xs.pop(0)
    xs[0] += 1
    return a, b, xs[0]


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
