"""Box decoding: widths and heights are turned into corners in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class BoxHead(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.reg = nn.Linear(dim, 4)

    def forward(self, feats, stride):
        boxes = self.reg(feats).sigmoid()
        boxes[:, 2] += boxes[:, 0]
        boxes[:, 3] += boxes[:, 1]
        boxes *= stride
        return boxes


def example():
    torch.manual_seed(0)
    return BoxHead(3), (torch.randn(2, 3), 8)
