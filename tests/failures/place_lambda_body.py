"""The activation of a network is a lambda that writes its input.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.l1 = nn.Linear(d, d)
        self.l2 = nn.Linear(d, 1)

    def forward(self, x):
        shift = lambda t: t.sub_(0.5).mul_(2)
        h = torch.sigmoid(self.l1(x))
        gate = (h * h).mean()
        return self.l2(shift(h)).sum() * gate


def example():
    torch.manual_seed(0)
    return MLP(2), (torch.randn(2, 2),)
