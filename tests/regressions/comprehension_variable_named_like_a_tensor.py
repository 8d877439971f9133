"""The `y` of a comprehension is none of the function's: `y` and `w` are still one tensor behind it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    w = y
    zs = [y * 2 for y in [x * 1, x * 2]]
    y += 1
    return w + y, zs[0]


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
