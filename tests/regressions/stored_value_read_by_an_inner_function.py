"""The value of `y[0] = g()` is worked out before `y` is cloned: what `g` saves isn't what the store overwrites."""

import torch


def f(x: torch.Tensor):
    y = x.exp()

    def g():
        return y[1] * y[1]

    y[0] = g()
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
