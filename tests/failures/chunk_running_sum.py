"""Res2Net: each chunk of the channels gets the one before added.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class Res2(nn.Module):
    def __init__(self, c, scale):
        super().__init__()
        self.scale = scale
        self.stem = nn.Conv1d(c, c, 1)
        self.convs = nn.ModuleList([nn.Conv1d(c // scale, c // scale, 1) for _ in range(scale - 1)])

    def forward(self, x):
        spx = self.stem(x).chunk(self.scale, dim=1)
        outs = [spx[0]]
        for k in range(1, self.scale):
            spx[k].add_(outs[-1])
            outs.append(self.convs[k - 1](spx[k]))
        return torch.cat(outs, dim=1)


def example():
    torch.manual_seed(0)
    return Res2(4, 2), (torch.randn(1, 4, 3),)
