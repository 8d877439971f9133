"""The name made for a stored value isn't `value`, which is a global that the function reads."""

import torch

value = 3


def f(x: torch.Tensor):
    y = x.exp()
    y[0] = y[1] * value
    return y * value


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
