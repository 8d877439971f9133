"""Maps are rescaled to the unit interval sample by sample.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class SaliencyHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 1, 1)

    def normalise(self, maps):
        for m in maps:
            m -= m.min()
            m /= m.max() + 1e-5
        return maps

    def forward(self, feats):
        maps = self.conv(feats)
        maps = self.normalise(maps)
        return (maps * feats).sum((2, 3))


def example():
    torch.manual_seed(0)
    return SaliencyHead(), (torch.randn(2, 2, 2, 2),)
