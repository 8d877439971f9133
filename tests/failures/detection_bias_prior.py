"""A detection head starts with a prior in the bias of its last layer.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import math

import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, anchors, outputs):
        super().__init__()
        self.anchors = anchors
        self.conv = nn.Conv2d(2, anchors * outputs, 1)

    def start(self, stride):
        b = self.conv.bias.view(self.anchors, -1)
        b[:, 0] += math.log(8 / (64 / stride) ** 2)
        # the classes
        b[:, 1:] += math.log(0.6 / 1.01)
        return self

    def forward(self, x):
        self.start(8)
        return self.conv(x).sigmoid()


def example():
    torch.manual_seed(0)
    return Head(2, 3), (torch.randn(1, 2, 2, 2),)
