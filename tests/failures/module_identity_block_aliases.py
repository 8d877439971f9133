"""The shortcut is an Identity, so that adding to it overwrites the tanh that it returns.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class MaybeDown(nn.Module):
    def __init__(self, dim, down):
        super().__init__()
        self.down = nn.Linear(dim, dim) if down else nn.Identity()

    def forward(self, x):
        return self.down(x)


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.short = MaybeDown(dim, False)
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        h = self.fc(x).tanh()
        s = self.short(h)
        s += 1
        return h * s


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
