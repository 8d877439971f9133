"""A detection head's biases get a prior, as the constructors of YOLO do.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import math

import torch
import torch.nn as nn


class Detect(nn.Module):
    def __init__(self, nc, anchors, ch):
        super().__init__()
        self.nc = nc
        self.no = nc + 5
        self.na = len(anchors)
        self.m = nn.ModuleList(nn.Conv2d(x, self.no * self.na, 1) for x in ch)

    def initialize_biases(self, cf=None):
        for mi, s in zip(self.m, (8, 16)):
            b = mi.bias.view(self.na, -1)
            b[:, 4] += math.log(8 / (640 / s) ** 2)
            b[:, 5:] += math.log(0.6 / (self.nc - 0.99)) if cf is None else torch.log(cf / cf.sum())

    def forward(self, feats, cf):
        self.initialize_biases(cf)
        return sum(m(f.tanh()).sum() for m, f in zip(self.m, feats))


def example():
    torch.manual_seed(0)
    feats = [torch.randn(1, 3, 2, 2, requires_grad=True), torch.randn(1, 3, 1, 1, requires_grad=True)]
    return Detect(2, [1, 2], [3, 3]), (feats, torch.tensor([3.0, 5.0]))
