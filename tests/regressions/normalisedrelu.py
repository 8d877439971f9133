"""What a module of the file saved of its own result is given a copy as well, or the write would break that, too."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return F.relu(self.linear(x))


def normalise(x):
    x /= x.pow(2).sum().sqrt()
    return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        h = self.block(x)
        return normalise(h), h


def example():
    torch.manual_seed(0)
    return Net(), (torch.randn(2, 3, requires_grad=True),)
