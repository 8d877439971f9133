"""The slices of a prediction are decoded one after the other, in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class YoloLayer(nn.Module):
    def __init__(self, anchors, nc):
        super().__init__()
        self.register_buffer("anchors", anchors)
        self.conv = nn.Linear(2, 5 + nc)

    def forward(self, f, grid, stride):
        p = self.conv(f)
        y = p.sigmoid()
        y[..., 0:2] = (y[..., 0:2] * 2 - 0.5 + grid) * stride
        y[..., 2:4] = (y[..., 2:4] * 2) ** 2 * self.anchors
        y[..., 5:] = y[..., 5:] * y[..., 4:5]
        return y


def example():
    torch.manual_seed(0)
    return YoloLayer(torch.rand(2), 2), (torch.randn(3, 2), torch.rand(3, 2), 8)
