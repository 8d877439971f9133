"""A gradient reversal returns a view of its input, whose result is scaled in place.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn
from torch.autograd import Function


class GradReverse(Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class Discriminator(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, 1)

    def forward(self, feat):
        feat = GradReverse.apply(feat)
        feat *= 2
        return self.fc(feat).sum()


class Domain(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.enc = nn.Linear(d, d)
        self.dis = Discriminator(d)

    def forward(self, x):
        return self.dis(self.enc(x).tanh())


def example():
    torch.manual_seed(0)
    return Domain(2), (torch.randn(2, 2),)
