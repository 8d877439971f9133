"""A gated unit: one half of the split is multiplied with the gate of the other.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class GatedUnit(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.d = d
        self.inp = nn.Linear(d, 2 * d)

    def forward(self, x):
        u, v = self.inp(x).split(self.d, dim=-1)
        v.sigmoid_()
        u *= v
        return u


def example():
    torch.manual_seed(0)
    return GatedUnit(2), (torch.randn(3, 2),)
