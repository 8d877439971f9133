"""`d |= {"k": y}` puts the tensor itself into the dictionary."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    d = {}
    d |= {"k": y}
    y += 1
    return d, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
