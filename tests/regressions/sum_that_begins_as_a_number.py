"""A sum that starts as the number 0: it has no dtype to cast back to."""

import torch


def total(x: torch.Tensor) -> torch.Tensor:
    loss = 0
    for row in x:
        loss += row.double().exp().sum()
    return loss


def example():
    return total, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
