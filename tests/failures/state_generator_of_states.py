"""A generator yields the state after each step and goes on writing the same tensor.

Torch: modified by an inplace operation
"""
import torch


def rollout(x, w, steps):
    h = torch.tanh(x)
    for _ in range(steps):
        h += torch.tanh(h @ w)
        yield h.sum()


def objective(x, w):
    total = 0.0
    for value in rollout(x, w, 3):
        total = total + value
    return total


def example():
    torch.manual_seed(0)
    return objective, (torch.randn(2, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True))
