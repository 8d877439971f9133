"""Layers gathered in a list and made a ModuleList; each output is scaled in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return torch.exp(-self.fc(x).abs())


class Net(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        layers = []
        for i in range(depth):
            layers.append(Block(dim))
        self.layers = nn.ModuleList(layers)

    def forward(self, x, scale):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            x *= scale
        return x


def example():
    torch.manual_seed(0)
    return Net(3, 2), (torch.randn(2, 3), torch.randn(3, requires_grad=True))
