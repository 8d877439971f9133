"""Attention map: its border is set to zero after a ReLU that some function may switch to work in place.

Torch: modified by an inplace operation
"""
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, polish=True):
        super().__init__()
        self.polish = polish
        self.relu = nn.ReLU()
        self.bn = nn.BatchNorm2d(1)

    def forward(self, x):
        att = self.bn(x.sum(1, keepdim=True))
        att = self.relu(att)
        if self.polish:
            att[:, :, :, 0] = 0
            att[:, :, -1, :] = 0
        return x + att * x


def fix_relu(m):
    classname = m.__class__.__name__
    if classname.find("ReLU") != -1:
        m.inplace = True


def example():
    torch.manual_seed(0)
    return Attention(), (torch.randn(2, 3, 4, 4),)
