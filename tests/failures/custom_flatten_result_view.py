"""A function gives a flattened view; some entries are overwritten.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class FlattenFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.view(x.shape[0], -1)

    @staticmethod
    def backward(ctx, g):
        return g.view(ctx.shape)


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 1, 1)

    def forward(self, img):
        flat = FlattenFn.apply(self.conv(img))
        flat[:, 0] = 0.0
        return flat.pow(3).sum()


def example():
    torch.manual_seed(0)
    return Head(), (torch.randn(2, 1, 2, 2),)
