"""`torch.atleast_2d` of a matrix is that matrix, and sees what is written to it later."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    e = torch.atleast_2d(y)
    y += 1
    return e, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
