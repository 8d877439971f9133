"""A bottleneck with or without a downsampling layer adds the residual to a sigmoid.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Bottleneck(nn.Module):
    def __init__(self, dim, downsample=None):
        super().__init__()
        self.conv = nn.Linear(dim, dim)
        self.bn = nn.LayerNorm(dim)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x):
        residual = x
        out = self.relu(self.bn(self.conv(x)))
        out = torch.sigmoid(out)
        if self.downsample is not None:
            residual = self.downsample(x)
        out += residual
        return self.relu(out)


class Net(nn.Module):
    def __init__(self, dim, block, depth):
        super().__init__()
        down = nn.Sequential(nn.Linear(dim, dim), nn.LayerNorm(dim))
        layers = [block(dim, down)]
        layers += [block(dim) for _ in range(depth - 1)]
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x)


def example():
    torch.manual_seed(0)
    return Net(3, Bottleneck, 2), (torch.randn(2, 3),)
