"""A feature pyramid adds the coarser level to the finer one in a list.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Pyramid(nn.Module):
    def __init__(self, widths, dim):
        super().__init__()
        self.lateral = nn.ModuleList(nn.Sequential(nn.Conv2d(w, dim, 1), nn.ReLU()) for w in widths)
        self.out = nn.ModuleList(nn.Conv2d(dim, dim, 1) for _ in widths)

    def forward(self, levels):
        laterals = [conv(x) for conv, x in zip(self.lateral, levels)]
        for i in range(len(laterals) - 1, 0, -1):
            laterals[i - 1] += F.interpolate(laterals[i], size=laterals[i - 1].shape[2:], mode="nearest")
        return tuple(conv(x) for conv, x in zip(self.out, laterals))


def example():
    torch.manual_seed(3)
    return Pyramid([2, 2], 2), ([torch.randn(1, 2, 4, 4), torch.randn(1, 2, 2, 2)],)
