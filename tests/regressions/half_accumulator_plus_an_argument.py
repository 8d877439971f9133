"""A float16 accumulator keeps its dtype when a float32 argument is added."""

import torch


def f(x: torch.Tensor):
    c = torch.zeros(2, 2, dtype=torch.float16)
    c += x
    return c


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
