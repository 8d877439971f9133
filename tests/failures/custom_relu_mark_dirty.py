"""A threshold works in place and says so; the layer before it has saved its result.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Threshold(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Net(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)

    def forward(self, x):
        h = torch.sigmoid(self.fc(x))
        return Threshold.apply(h).sum()


def example():
    torch.manual_seed(0)
    return Net(2), (torch.randn(2, 2),)
