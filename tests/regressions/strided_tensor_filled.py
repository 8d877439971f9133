"""A tensor with gaps in its memory is filled: what takes its place may have none."""

import torch


def f(x: torch.Tensor):
    y = torch.zeros(4, 2)[::2]
    y.fill_(3)
    return y * x


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
