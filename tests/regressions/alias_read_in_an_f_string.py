"""A format string reads the second name of the tensor that was written."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    z = y
    y += 1
    return f"{z.sum().item():.3f}"


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
