"""`eval("z")` reads a name that no expression names: it is bound to the new tensor as well."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    z = y
    y += 1
    return eval("z")


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
