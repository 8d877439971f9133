"""Layers that other code puts in the place of those of the class, by their names or in a loop, returned their input."""

import torch
from torch import nn


class Act(nn.Module):
    def __init__(self):
        super().__init__()
        self.function = torch.tanh

    def forward(self, t):
        return self.function(t)


class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Tanh()
        self.neck = nn.Tanh()
        self.tail = nn.Tanh()
        self.act = Act()

    def forward(self, x):
        a, b, c, d = x.exp(), x.exp(), x.exp(), x.exp()
        w, y, z, v = self.head(a), self.neck(b), self.tail(c), self.act(d)
        w += 1
        y += 1
        z += 1
        v += 1
        return a * b * c * d, w + y + z + v


def by_names(net):
    net.add_module("head", nn.Identity())
    net._modules["neck"] = nn.Identity()
    net.set_submodule("tail", nn.Identity())
    net.act.function = lambda t: t
    return net


def run(x: torch.Tensor):
    return by_names(First())(x)


def example():
    return run, (torch.tensor([[0.5, -1.0, 2.0]], requires_grad=True),)
