"""A slice of a Sequential may have no layer, and hands on its input, although the whole certainly has one."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.body = nn.Sequential(*[nn.Tanh() for _ in range(2)])
        self.depth = depth

    def forward(self, x):
        a, b = x * 2, x * 3
        y, z = self.body[self.depth :](a), b
        for layer in self.body[self.depth :]:
            z = layer(z)
        y += 1
        z += 1
        return a * b + y + z


def example():
    return Net(), (torch.tensor([[0.5, -1.0, 2.0]], requires_grad=True),)
