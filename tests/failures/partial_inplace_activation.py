"""An activation bound with functools.partial and inplace=True.

Torch: modified by an inplace operation
"""
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F


class MLP(nn.Module):
    def __init__(self, d, act=partial(F.leaky_relu, negative_slope=0.1, inplace=True)):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d, d), nn.Linear(d, d)
        self.act = act

    def forward(self, x):
        y = torch.tanh(self.fc1(x))
        z = self.act(y)
        return self.fc2(z)


def example():
    torch.manual_seed(0)
    return MLP(2), (torch.randn(2, 2),)
