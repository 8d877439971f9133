"""The result of several layers, one of which a flag has work in place, gets no copy: the call saves it itself."""

import torch
from torch import nn


def conv(inplace=False):
    return nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.LeakyReLU(0.2, inplace=inplace))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = conv(inplace=True)
        self.b = conv()

    def forward(self, x):
        h = self.a[1](self.a[0](x))
        y = self.a[2](h)
        return self.b(y), h


def example():
    torch.manual_seed(0)
    return Net(), (torch.rand(2, 3),)
