"""A feature pyramid: the upsampled coarser level is added in place to the list's finer one.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class FPN(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(c, 2, 1) for c in channels])

    def forward(self, feats):
        laterals = [F.relu(conv(f)) for conv, f in zip(self.lateral, feats)]
        for i in range(len(laterals) - 1, 0, -1):
            laterals[i - 1] += F.interpolate(laterals[i], scale_factor=2, mode="nearest")
        return laterals


def example():
    torch.manual_seed(0)
    return FPN([1, 2]), ([torch.randn(1, 1, 4, 4), torch.randn(1, 2, 2, 2)],)
