"""Losses by name are weighted in place over another dictionary's items.

Torch: modified by an inplace operation
"""
import torch


def total_loss(outputs, targets, weights):
    losses = {}
    for name, out in outputs.items():
        losses[name] = torch.sqrt(((out - targets[name]) ** 2).mean())
    for name, w in weights.items():
        losses[name] *= w
    return sum(losses.values())


def example():
    torch.manual_seed(0)
    outs = {"depth": torch.randn(3, requires_grad=True), "normal": torch.randn(2, requires_grad=True)}
    return total_loss, (outs, {"depth": torch.ones(3), "normal": torch.zeros(2)}, {"depth": 0.3, "normal": 2.0})
