"""`torch.atleast_1d` of several tensors returns a tuple of those themselves."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    e = torch.atleast_1d(y, x)
    y += 1
    return e[0], y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
