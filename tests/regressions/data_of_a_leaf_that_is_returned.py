"""`w.data = ...` keeps `w` a leaf that requires grad, which its caller sees."""

import torch


def f(x: torch.Tensor):
    w = torch.ones(2, requires_grad=True)
    w.data = w.data / w.data.norm()
    return w


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
