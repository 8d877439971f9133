"""A layer of torch whose `forward` other code replaces may return its input."""

import types

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Tanh()
        self.neck = nn.Tanh()
        self.body = nn.Softplus()

    def forward(self, x):
        a, b, c = x.exp(), x.exp(), x.exp()
        w, y, z = self.head(a), self.neck(b), self.body(c)
        w += 1
        y += 1
        z += 1
        return a * b * c, w + y + z


def same(self, t):
    return t


def patched(net):
    net.head.forward = lambda t: t
    neck = net.neck
    neck.forward = types.MethodType(same, neck)
    setattr(net.body, "forward", lambda t: t)
    return net


def run(x: torch.Tensor):
    return patched(Net())(x)


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
