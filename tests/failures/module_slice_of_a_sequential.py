"""Features of the first layers of a network are shifted before the next layers get them.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Perceptual(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.Linear(4, 4), nn.Tanh())

    def forward(self, x):
        low = self.layers[:2](x)
        high = self.layers[2:](low)
        low += 1
        high -= 0.5
        return low.mean() + high.mean()


def example():
    torch.manual_seed(0)
    return Perceptual(), (torch.randn(2, 3),)
