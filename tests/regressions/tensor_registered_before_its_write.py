"""A module registers a tensor, and writes it afterwards."""

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        b = torch.zeros(3)
        self.register_buffer("b", b)
        b += 1
        self.c = b

    def forward(self, x):
        return x + self.b


def f(x):
    return Net()(x)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
