"""A residual connection around layers that a method collects in a list.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = self._make_layer(2)
        self.skip = nn.Linear(3, 3)

    def _make_layer(self, blocks):
        layers = []
        layers.append(nn.Linear(3, 3))
        layers.append(nn.Sigmoid())
        for _ in range(1, blocks):
            layers.append(nn.Linear(3, 3))
            layers.append(nn.Sigmoid())
        return nn.Sequential(*layers)

    def forward(self, x):
        y = self.layer(x)
        y += self.skip(x)
        return y


def example():
    torch.manual_seed(0)
    return Net(), (torch.randn(2, 3),)
