"""`torch.squeeze(input=y)` is a view of `y`, as `torch.squeeze(y)` is."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    v = torch.squeeze(input=y)
    y += 1
    return v * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
