"""A function or class of torch that the file replaces may do anything, and return its argument."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tail = nn.Sigmoid()

    def forward(self, x):
        a, b = x.exp(), x.exp()
        y, z = F.relu(a), self.tail(b)
        y += 1
        z += 1
        return a * b, y + z


def same(self, t):
    return t


def run(x: torch.Tensor):
    relu, sigmoid = F.relu, nn.Sigmoid.forward
    F.relu, nn.Sigmoid.forward = lambda t: t, same
    try:
        return Net()(x)
    finally:
        F.relu, nn.Sigmoid.forward = relu, sigmoid


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
