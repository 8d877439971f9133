"""A layer with a flag, made and called around an in-place method: two edits of one statement don't overlap."""

import torch
from torch import nn


def f(x: torch.Tensor):
    y = nn.ReLU(inplace=True)(x.exp().add_(1))
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
