"""The value of `y[0] = g()` is worked out before `y` is cloned: `g` writes the tensor that is to be cloned."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    z = y

    def g():
        z.mul_(2)
        return 1.0

    y[0] = g()
    return y * z


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
