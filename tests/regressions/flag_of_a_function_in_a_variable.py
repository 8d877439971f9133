"""`F.relu(y, inplace=inplace)` may return its input or a new tensor, as the caller wishes."""

import torch
import torch.nn.functional as F


def f(x: torch.Tensor, inplace=True):
    y = x * 2
    z = F.relu(y, inplace=inplace)
    z += 1
    return y * 2


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
