"""A body on the continued line of its `if` gets its clone in the same line: no line break may come between."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    if True: \
        y[0] = 1.0
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
