"""A negative number stored by a mask wraps around in uint8, out of place as well."""

import torch


def f(x: torch.Tensor):
    n = torch.tensor([1, 0], dtype=torch.uint8)
    n[n == 0] = -1
    return n, x * 1


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
