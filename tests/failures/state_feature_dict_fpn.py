"""Feature maps by name; the top-down path adds the coarser one to the finer one.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Neck(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.lateral = nn.ModuleDict()
        for key in ("c3", "c4", "c5"):
            self.lateral[key] = nn.Conv2d(c, c, 1)

    def forward(self, feats):
        lat = {k: torch.sigmoid(self.lateral[k](f)) for k, f in feats.items()}
        keys = list(lat)
        for fine, coarse in zip(keys[-2::-1], keys[:0:-1]):
            lat[fine] += F.interpolate(lat[coarse], scale_factor=2)
        return [lat[k] for k in keys]


def example():
    torch.manual_seed(0)
    return Neck(1), ({"c3": torch.randn(1, 1, 4, 4), "c4": torch.randn(1, 1, 2, 2), "c5": torch.randn(1, 1, 1, 1)},)
