"""A method that the file replaces by another function is of unknown effect: this one returns its argument."""

import torch
from torch import nn


class Net(nn.Module):
    def norm(self, x):
        return x / 2

    def forward(self, x):
        y = x * 3
        z = self.norm(y)
        y += 1
        return z * z


def same(self, x):
    return x


Net.norm = same


def example():
    return Net(), (torch.tensor([0.5, 1.5], requires_grad=True),)
