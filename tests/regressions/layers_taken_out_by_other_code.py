"""A container out of which other code took the layers hands on its input."""

import torch
from torch import nn


class Body(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Tanh())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Sequential(nn.Tanh())
        self.neck = nn.Sequential(nn.Tanh())
        self.layers = nn.ModuleList([nn.Tanh() for _ in range(1)])
        self.tail = nn.Sequential(nn.Tanh())
        self.body = Body()

    def forward(self, x):
        a, b, c, d, e = x * 2, x * 3, x * 4, x * 5, x * 6
        y, z, w, v = self.head(a), self.neck(b), self.tail(d), self.body(e)
        u = c
        for layer in self.layers:
            u = layer(u)
        y += 1
        z += 1
        w += 1
        v += 1
        u += 1
        return a * b * c * d * e + y + z + w + v + u


def shorten(layers):
    del layers[-1]


def shortened(net):
    net.head.pop(0)
    shorten(net.neck)
    layers = net.layers
    del layers[0]
    net.tail._modules.clear()
    delattr(net.body, "0")
    return net


def run(x: torch.Tensor):
    net = nn.Sequential(nn.Tanh())
    net.pop(0)
    h = x * 2
    y = net(h)
    y += 1
    return shortened(Net())(x) + h


def example():
    return run, (torch.tensor([[0.5, -1.0, 2.0]], requires_grad=True),)
