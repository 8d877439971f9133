"""`F.dropout` that isn't training returns its input itself."""

import torch
import torch.nn.functional as F


def f(x: torch.Tensor):
    y = x.exp()
    e = F.dropout(y, 0.5, False)
    y += 1
    return e, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
