"""Gates in a ModuleList; what the gate's sigmoid saved is the residual's target.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class GatedBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return torch.sigmoid(self.fc(x))


class Net(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.blocks = nn.ModuleList([GatedBlock(dim) for _ in range(depth)])

    def forward(self, x):
        for block in self.blocks:
            y = block(x)
            y += x
            x = y
        return x


def example():
    torch.manual_seed(0)
    return Net(3, 2), (torch.randn(2, 3),)
