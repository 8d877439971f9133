"""A Sequential whose list of layers may be empty gives back its input, which the store then changes, too."""

import torch
from torch import nn


class Optional(nn.Module):
    def __init__(self, smooth=False, depth=0):
        super().__init__()
        layers = []
        if smooth:
            layers.append(nn.Softplus())
        self.appended = nn.Sequential(*layers)
        if smooth:
            chosen = [nn.Softplus()]
        else:
            chosen = []
        self.chosen = nn.Sequential(*chosen)
        self.deep = nn.Sequential(*[nn.Softplus() for _ in range(depth)])

    def forward(self, x):
        a = x * 2
        b = self.appended(a)
        b += 1
        c = x * 3
        d = self.chosen(c)
        d += 1
        e = x * 4
        f = self.deep(e)
        f += 1
        return a + b.sum() + c + d.sum() + e + f.sum()


def local(x, smooth=False):
    layers = [nn.Softplus()]
    if not smooth:
        layers.pop()
    net = nn.Sequential(*layers)
    a = x * 2
    b = net(a)
    b += 1
    return a + b.sum()


def both(x):
    return Optional()(x) + local(x)


def example():
    return both, (torch.tensor([0.5, -1.0], requires_grad=True),)
