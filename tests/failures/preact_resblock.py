"""A pre-activation residual block: relu_ overwrites what the shortcut adds, and the gate has saved it.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PreActBlock(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 1)
        self.conv2 = nn.Conv2d(ch, ch, 1)
        self.relu = nn.ReLU(inplace=True)
        self.alpha = nn.Parameter(torch.tensor(0.5))

    def forward(self, x):
        x = self.conv1(x)
        shortcut = x * self.alpha
        out = self.relu(x)
        out = self.conv2(out)
        out += shortcut
        return out


def example():
    torch.manual_seed(0)
    return PreActBlock(2), (torch.randn(1, 2, 2, 2),)
