"""Priors of a detector are written into the biases of its heads.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import math

import torch
import torch.nn as nn


class Detect(nn.Module):
    stride = [8.0, 16.0]

    def __init__(self, nc=2, na=2, ch=(2, 3)):
        super().__init__()
        self.nc, self.na, self.no = nc, na, nc + 5
        self.m = nn.ModuleList(nn.Conv2d(c, self.no * na, 1) for c in ch)

    def forward(self, feats):
        return [conv(f).sigmoid() for conv, f in zip(self.m, feats)]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.detect = Detect()

    def _initialize_biases(self):
        m = self.detect
        for mi, s in zip(m.m, m.stride):
            b = mi.bias.view(m.na, -1)
            b[:, 4] += math.log(8 / (640 / s) ** 2)
            b[:, 5:] += math.log(0.6 / (m.nc - 0.99))

    def forward(self, a, b):
        self._initialize_biases()
        return self.detect([a, b])


def example():
    torch.manual_seed(0)
    return Model(), (torch.randn(1, 2, 2, 2), torch.randn(1, 3, 1, 1))
