"""The class of the activation is a partial with `inplace=True`.

Torch: modified by an inplace operation
"""
import functools

import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, dim, act):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.act = act()

    def forward(self, x):
        h = self.fc(x).tanh()
        return self.act(h)


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        act = functools.partial(nn.ELU, inplace=True)
        self.block1 = Block(dim, act)
        self.block2 = Block(dim, act)

    def forward(self, x):
        return self.block2(self.block1(x))


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
