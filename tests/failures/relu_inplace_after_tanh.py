"""The usual suspect: an activation module with inplace=True behind one that needs its result.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(dim, dim),
            nn.Tanh(),
            nn.Dropout(0.2, inplace=True),
            nn.Linear(dim, dim),
            nn.Sigmoid(),
            nn.Hardtanh(-0.5, 0.6, inplace=True),
        )

    def forward(self, x):
        return self.layers(x)


def example():
    torch.manual_seed(0)
    return Encoder(3), (torch.randn(2, 3),)
