"""A Sequential that may be empty, because layers were taken out of it or of its list, hands on its input."""

import torch
from torch import nn


class OfList(nn.Module):
    def __init__(self, drop=False):
        super().__init__()
        layers = [nn.Softplus()]
        if not drop:
            layers.pop()
        self.seq = nn.Sequential(*layers)

    def forward(self, x):
        a = x.exp()
        y = self.seq(a)
        y += 1
        return y * a


class OfItself(nn.Module):
    def __init__(self, drop=False):
        super().__init__()
        self.seq = nn.Sequential(nn.Softplus())
        if not drop:
            del self.seq[0]

    def forward(self, x):
        a = x.exp()
        y = self.seq(a)
        y += 1
        return y * a


def run(x):
    return [OfList()(x), OfItself()(x)]


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
