"""Weights are tested and kept through a walrus in a comprehension's condition.

Torch: modified by an inplace operation
"""
import torch


def gated(xs, w):
    kept = [g for x in xs if (g := torch.sigmoid(x @ w)).mul_(2).mean() > 0.1]
    return torch.stack(kept).sum()


def example():
    torch.manual_seed(0)
    return gated, ([torch.randn(2, 3) for _ in range(3)], torch.randn(3, requires_grad=True))
