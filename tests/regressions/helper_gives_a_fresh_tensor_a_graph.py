"""A helper writes into a fresh tensor, which then has a graph: it isn't called harmless to write it again."""

import torch


def fill(z, t):
    z.add_(t)


def f(x: torch.Tensor):
    z = torch.zeros(2, 2)
    fill(z, x)
    w = z * z
    z[0] = 0.0
    return w + z


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
