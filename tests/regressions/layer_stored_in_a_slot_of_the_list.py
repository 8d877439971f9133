"""A layer of a list is replaced by one that returns its input, which is read after the result is written."""

import torch
from torch import nn


class Skip(nn.Module):
    def forward(self, x):
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Softplus(), nn.Softplus()])
        self.layers[1] = Skip()

    def forward(self, x):
        h = x * 3
        y = self.layers[1](h)
        y += 1
        return h


def example():
    return Net(), (torch.tensor([0.5, 1.5], requires_grad=True),)
