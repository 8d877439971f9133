"""An inner function swaps the elements of a list: `xs[0]` is the other tensor, or either."""

import torch


def f(x: torch.Tensor):
    a, b = x.exp(), x.sin()
    xs = [a, b]

    def swap():
        xs[0], xs[1] = xs[1], xs[0]

    swap()
    xs[0] += 1
    return a * 1, b * 1


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
