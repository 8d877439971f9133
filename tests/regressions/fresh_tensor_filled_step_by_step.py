"""A step reads the row that the one before wrote, and saves none of it: the fresh tensor is filled in place."""

import torch


def f(x: torch.Tensor):
    out = torch.zeros(3, 2)
    for i in range(2):
        out[i + 1] = torch.sigmoid(out[i] + x[i])
    return out


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
