"""A helper makes stages from a list of blocks; the skip is added to what the last block saved.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv1d(cin, cout, 3, padding=1)

    def forward(self, x):
        return F.softplus(self.conv(x)).sqrt()


def make_layer(cin, cout, depth):
    layers = [ConvBlock(cin, cout)]
    for _ in range(1, depth):
        layers.append(ConvBlock(cout, cout))
    return nn.Sequential(*layers)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage1 = make_layer(2, 3, 2)
        self.stage2 = make_layer(3, 3, 2)

    def forward(self, x):
        x = self.stage1(x)
        y = self.stage2(x)
        y += x
        return y


def example():
    torch.manual_seed(0)
    return Net(), (torch.randn(1, 2, 4),)
