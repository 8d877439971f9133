"""An identity with its own backward gives its input back as it is; a noise term is added in training.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class ClipGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.limit = limit
        return x

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-1e6, 1e6), None


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, d)

    def forward(self, x):
        y = ClipGrad.apply(self.lin(x), 0.1)
        if self.training:
            y += 0.5
        return torch.sigmoid(y)


def example():
    torch.manual_seed(0)
    return Layer(2), (torch.randn(2, 2),)
