"""A helper adds a layer to the list that becomes a ModuleList: it returns its input, which is read later."""

import torch
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        return x * 2


class Skip(nn.Module):
    def forward(self, x):
        return x


def add(layers):
    layers.append(Skip())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [Gate()]
        add(layers)
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        h = x * 3
        y = self.layers[1](h)
        y += 1
        return h


def example():
    return Net(), (torch.tensor([0.5, 1.5], requires_grad=True),)
