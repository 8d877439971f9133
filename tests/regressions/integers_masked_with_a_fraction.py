"""A fraction stored by a mask is cut to an integer, out of place as well."""

import torch


def f(x: torch.Tensor):
    n = (x > 1).sum(1)
    n[n == 0] = 0.5
    return n


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
