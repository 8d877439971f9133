"""An exception skips the rebinding of `b`: behind the handler it is still the tensor that was written."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    b = y
    try:
        y += 1
        int("a")
        b = x
    except ValueError:
        pass
    return b * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
