"""A helper that calls the lambda it is given returns the tensor that the lambda captured: one memory, two names."""

import torch


def apply(fn):
    return fn()


def f(x: torch.Tensor):
    y = x.exp()
    z = apply(lambda: y)
    y += 1
    return z * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
