"""Pretrained filters are copied into a convolution slice by slice.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Stem(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1 = nn.Conv2d(3, c, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(c)
        self.loaded = False

    def load_rgb(self, W, b):
        self.conv1.weight[:, :, :, :] = W[:, :, :, :]
        self.conv1.bias[:] = b

    def forward(self, img, W, b):
        self.load_rgb(W, b)
        return F.relu(self.bn1(self.conv1(img)))


def example():
    torch.manual_seed(0)
    return Stem(2), (torch.randn(1, 3, 3, 3), torch.randn(2, 3, 3, 3), torch.randn(2))
