"""An activation is made by `functools.partial` with `inplace=True`.

Torch: modified by an inplace operation
"""
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F


relu_ = partial(F.relu, inplace=True)


def block(x, w):
    h = torch.tanh(x @ w)
    return relu_(h) @ w


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Parameter(torch.randn(dim, dim))

    def forward(self, x):
        return block(x, self.w)


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
