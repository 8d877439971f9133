"""A generator expression inside sum() adds the bias to every map.

Torch: modified by an inplace operation
"""
import torch


def energy(x, weights, bias):
    maps = [torch.tanh(x @ w) for w in weights]
    return sum(m.add_(bias).pow(2).mean() for m in maps)


def example():
    torch.manual_seed(0)
    weights = [torch.randn(2, 2, requires_grad=True), torch.randn(2, 2, requires_grad=True)]
    return energy, (torch.randn(3, 2), weights, torch.tensor(0.1, requires_grad=True))
