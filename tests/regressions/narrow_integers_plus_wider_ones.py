"""int32 stays int32 when int64 is added: the sum is cast back."""

import torch


def f(x: torch.Tensor):
    n = torch.arange(1, 3, dtype=torch.int32)
    n += torch.arange(2)
    n *= 2
    return n, x


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
