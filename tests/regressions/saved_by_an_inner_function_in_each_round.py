"""An inner function saves the fresh tensor in each round: the next store must not overwrite what is saved."""

import torch


def f(x: torch.Tensor):
    y = torch.zeros(2, 2)

    def g():
        return (y * y).sum()

    t = 0
    for i in range(2):
        y[i] = x[i]
        t = t + g()
    return t


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
