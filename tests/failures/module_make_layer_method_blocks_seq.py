"""A ResNet whose `_make_layer` gets the class of its blocks; the block adds to its sigmoid.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class BasicBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv1 = nn.Conv1d(dim, dim, 3, padding=1)
        self.act = nn.Sigmoid()

    def forward(self, x):
        identity = x
        out = self.act(self.conv1(x))
        out += identity
        return out


class ResNet(nn.Module):
    def __init__(self, block, layers):
        super().__init__()
        self.layer1 = self._make_layer(block, 2, layers[0])
        self.layer2 = self._make_layer(block, 2, layers[1])

    def _make_layer(self, block, dim, n):
        layers = []
        for _ in range(n):
            layers.append(block(dim))
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.layer1(x)
        x = self.layer2(x)
        return x.mean(-1)


def example():
    torch.manual_seed(0)
    return ResNet(BasicBlock, [1, 2]), (torch.randn(1, 2, 4),)
