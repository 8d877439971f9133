"""The previous state is kept by plain assignment for a smoothness penalty; both names are one tensor.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def rollout_loss(dynamics, x0, n=3):
    x = x0.clone()
    loss = 0
    for _ in range(n):
        prev = x
        u = torch.tanh(dynamics(x))
        x += 0.1 * u
        loss = loss + (x * u).sum() + (x - prev).pow(2).sum()
    return loss


def example():
    torch.manual_seed(0)
    return rollout_loss, (nn.Linear(2, 2), torch.randn(2, requires_grad=True))
