"""`copy_` converts to the target's dtype: the source can't take the target's place."""

import torch


def f(x: torch.Tensor):
    y = torch.zeros(2, 2, dtype=torch.int64)
    y.copy_(x)
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
