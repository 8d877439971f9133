"""`copy_` spreads a row over the whole target: the source can't take the target's place."""

import torch


def f(x: torch.Tensor):
    y = torch.zeros(2, 2)
    y.copy_(x[0])
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
