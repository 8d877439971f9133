"""A parameter is declared `nonlocal` by an inner function, and one tensor is passed for two parameters."""

import torch
from torch import nn


def center_(v: torch.Tensor, u: torch.Tensor):
    v += 1

    def inner():
        nonlocal v

    return v


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([1.0, 2.0])

    def forward(self, x: torch.Tensor):
        self.mean = self.mean * x
        acc = center_(self.mean, self.mean)
        self.mean *= 2
        return acc


def example():
    return Net(), (torch.tensor([0.5, -1.5], requires_grad=True),)
