"""The name made for a stored value isn't `value`, which the function binds later and an inner one reads."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    y[0] = y[1] * 2

    def g():
        return value

    value = 4
    return y * g()


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
