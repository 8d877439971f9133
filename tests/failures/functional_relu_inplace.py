"""F.relu(..., inplace=True) on a tensor that a sigmoid gate has saved.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class GatedBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, dim)

    def forward(self, x):
        y = self.fc(x)
        g = torch.sigmoid(self.gate(y))
        y = F.leaky_relu(y, 0.1, inplace=True)
        return y * g


def example():
    torch.manual_seed(0)
    return GatedBlock(3), (torch.randn(2, 3),)
