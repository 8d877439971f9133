"""Layers added under computed names; a constant is added to the tanh of each.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Stage(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return torch.tanh(self.fc(x))


class Net(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.depth = depth
        for i in range(depth):
            self.add_module("conv%d" % i, Stage(dim))

    def forward(self, x):
        outs = []
        for i in range(self.depth):
            x = getattr(self, "conv%d" % i)(x)
            x += 0.1
            outs.append(x)
        return torch.cat(outs, 1)


def example():
    torch.manual_seed(0)
    return Net(3, 2), (torch.randn(2, 3),)
