"""A comparison behind `*=` keeps its parentheses when it comes to stand behind `*`."""

import torch


def f(x: torch.Tensor):
    m = x > 1
    m *= (x > 2)
    return m


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
