"""`fill_(value=3)` passes on its value under the keyword that the other function knows."""

import torch


def f(x: torch.Tensor):
    y = torch.zeros(2)
    y.fill_(value=3)
    return y * x


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
