"""An inner function saves the tensor between two stores: the second one must not overwrite what is saved."""

import torch


def f(x: torch.Tensor):
    y = x.exp()

    def g():
        return (y * y).sum()

    y[0] = 1.0
    l = g()
    y[1] = 2.0
    return l + y.sum()


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
