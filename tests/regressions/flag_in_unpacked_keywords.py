"""`F.relu(y, **{"inplace": True})` returns its input, though no flag is to be seen."""

import torch
import torch.nn.functional as F


def f(x: torch.Tensor):
    y = x * 2 - 2
    z = F.relu(y, **{"inplace": True})
    z += 1
    return y * 2


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
