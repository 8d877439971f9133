"""A write behind `and` in a test runs only if what stands before it is true: it doesn't move in front."""

import torch
import torch.nn.functional as F


def f(x: torch.Tensor):
    y = x.exp()
    if F.relu(y - 1, inplace=True).sum() > 0 and y.add_(1).sum() > 0:
        return y * 2
    return x


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
