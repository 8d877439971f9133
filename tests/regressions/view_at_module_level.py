"""A view taken at module level is made again after the write to its base, before functions read it."""

import torch

y = torch.ones(2)
v = y[0]
y += 1


def f(x: torch.Tensor):
    return x * y * v


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
