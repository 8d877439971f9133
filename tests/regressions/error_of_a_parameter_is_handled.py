"""A module handles the error of a write to its parameter, so that no_grad() would take it away."""

import torch
from torch import nn


class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))

    def shift(self):
        self.w += 1

    def forward(self, x):
        try:
            self.shift()
        except RuntimeError:
            return x * 5
        return x * self.w


def f(x):
    return N()(x)


def example():
    return f, (torch.arange(3.0).requires_grad_(),)
