"""A module-level utility that rescales and returns; the caller keeps using the old name.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def rescale(t, lo, hi):
    t -= t.min()
    t /= t.max() + 1e-6
    t *= hi - lo
    t += lo
    return t


class Depth(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)

    def forward(self, x):
        raw = torch.sigmoid(self.fc(x))
        depth = rescale(raw, 0.1, 10.0)
        return depth.log().sum() + raw.mean()


def example():
    torch.manual_seed(0)
    return Depth(3), (torch.randn(2, 3),)
