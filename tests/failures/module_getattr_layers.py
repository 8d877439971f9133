"""Stages set by `setattr` and read by `getattr`; a softmax is multiplied in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Stage(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return self.fc(x).softmax(-1)


class Net(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.depth = depth
        for i in range(depth):
            setattr(self, f"stage{i}", Stage(dim))

    def forward(self, x):
        for i in range(self.depth):
            stage = getattr(self, f"stage{i}")
            h = stage(x)
            h *= x
            x = h
        return x


def example():
    torch.manual_seed(0)
    return Net(3, 2), (torch.randn(2, 3),)
