"""The weight of an embedding is filled with sines and cosines by a helper, when it is first used.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import math

import torch
import torch.nn as nn


def fill_with_waves(table):
    n, dim = table.shape
    angle = torch.arange(n)[:, None] * torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle)


class Positions(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.table = nn.Embedding(n, dim)
        self.filled = False

    def forward(self, x):
        if not self.filled:
            fill_with_waves(self.table.weight)
            self.filled = True
        return x * self.table(torch.arange(x.shape[0]))


def example():
    torch.manual_seed(0)
    return Positions(3, 4), (torch.randn(3, 4),)
