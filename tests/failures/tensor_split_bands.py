"""Frequency bands from tensor_split get their own gain.

Torch: modified by an inplace operation
"""
import torch


def equalise(x, low, high):
    spec = torch.exp(x)
    a, b, c = torch.tensor_split(spec, 3, dim=1)
    a.mul_(low)
    c.mul_(high)
    return torch.cat([a, b, c], dim=1).log()


def example():
    torch.manual_seed(0)
    return equalise, (torch.randn(2, 6, requires_grad=True), torch.tensor(0.5, requires_grad=True), 1.5)
