"""Skips pushed to a list, popped in the decoder and scaled there.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class UNet1d(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.downs = nn.ModuleList([nn.Linear(d, d), nn.Linear(d, d)])
        self.ups = nn.ModuleList([nn.Linear(d, d), nn.Linear(d, d)])
        self.scale = nn.Parameter(torch.tensor(0.7))

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = torch.tanh(down(x))
            skips.append(x)
        for up in self.ups:
            skip = skips.pop()
            skip *= self.scale
            x = up(x) + skip
        return x


def example():
    torch.manual_seed(0)
    return UNet1d(2), (torch.randn(2, 2),)
