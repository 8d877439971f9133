"""Layers that loops over a module's children replace, or that a visitor changes, may return their input."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Tanh()

    def forward(self, x):
        h = x.exp()
        y = self.layer(h)
        y += 1
        return h * y


def by_setattr(net, new):
    for name, child in net.named_children():
        if isinstance(child, nn.Tanh):
            setattr(net, name, new())
    return net


def by_modules(net):
    for name, child in net._modules.items():
        net._modules[name] = nn.Identity() if isinstance(child, nn.Tanh) else child
    return net


def visit(module):
    if isinstance(module, nn.Tanh):
        module.forward = lambda t: t


def run(x: torch.Tensor):
    return by_setattr(Net(), nn.Identity)(x) + by_modules(Net())(x) + Net().apply(visit)(x)


def example():
    return run, (torch.tensor([[0.5, -1.0, 2.0]], requires_grad=True),)
