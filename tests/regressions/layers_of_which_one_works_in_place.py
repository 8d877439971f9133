"""What one of several layers returns may be its input: a copy of that would keep a later write from the input."""

import torch
from torch import nn


class Gate(nn.Module):
    def forward(self, t):
        return t.tanh()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seq = nn.Sequential(*[nn.SiLU(inplace=True), Gate()])

    def forward(self, x):
        z = x * 2
        u = z
        for layer in self.seq:
            u = layer(u)
            u += z
        return u


def example():
    return Net(), (torch.tensor([[-1.031, -0.629, 1.389], [1.309, -0.06, -0.128]], requires_grad=True),)
