"""A norm derived from torch's: its result is added to its input, which it saved.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ScaledLayerNorm(nn.LayerNorm):
    def forward(self, x):
        h = x.exp()
        y = super().forward(h)
        h += y
        return h


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = ScaledLayerNorm(dim)

    def forward(self, x):
        return self.norm(x)


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
