"""Modules with `inplace=True` whose saved result another function, or a layer of a Sequential, gives: `.data` changes it."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ELU(inplace=True)
        self.seq = nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU(inplace=True))

    def block(self, x):
        return self.act(x * 1)

    def forward(self, x):
        h = self.block(x)
        h.data[...] = torch.tanh(h.detach())
        k = self.seq(x)
        k.data.mul_(-2)
        return h, k


def example():
    torch.manual_seed(3)
    return (Net(), (torch.tensor([[0.639, 1.275], [0.227, 0.214], [-1.523, -1.417]], requires_grad=True),))
