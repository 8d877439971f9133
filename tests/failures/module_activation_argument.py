"""One in-place activation handed to all blocks overwrites the gate that is used again.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ResBlock(nn.Module):
    def __init__(self, dim, activation):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, dim)
        self.activation = activation

    def forward(self, x):
        gate = torch.sigmoid(self.norm(x))
        h = self.activation(gate)
        return self.fc(h) * gate


class Net(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        act = nn.ReLU(inplace=True)
        self.blocks = nn.Sequential(*[ResBlock(dim, act) for _ in range(depth)])

    def forward(self, x):
        return self.blocks(x)


def example():
    torch.manual_seed(0)
    return Net(3, 2), (torch.randn(2, 3),)
