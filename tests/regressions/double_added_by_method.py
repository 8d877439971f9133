"""`c.add_(x.double())` leaves `c` float32."""

import torch


def f(x: torch.Tensor):
    c = torch.zeros(2, 2)
    c.add_(x.double())
    return c


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
