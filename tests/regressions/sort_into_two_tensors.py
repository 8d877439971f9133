"""`torch.sort` with a pair as `out=` binds both names."""

import torch


def f(x: torch.Tensor):
    v, i = torch.empty(2, 2), torch.empty(2, 2, dtype=torch.int64)
    torch.sort(x.detach(), out=(v, i))
    return v * x


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
