"""A dictionary made from pairs, or from another dictionary, holds the same tensors: they are read after the write."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    by_name = dict([("y", y)])
    copied = dict(by_name)
    z = x.sin() * y
    y += 1
    return z + by_name["y"], copied["y"]


def example():
    return f, (torch.tensor([0.5, 1.5], requires_grad=True),)
