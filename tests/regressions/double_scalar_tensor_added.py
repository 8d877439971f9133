"""A float64 tensor without dimensions makes no float32 matrix wider, in place or not."""

import torch


def f(x: torch.Tensor):
    c = torch.zeros(2, 2, dtype=torch.float32)
    c += torch.tensor(1.0, dtype=torch.float64)
    return c * x


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
