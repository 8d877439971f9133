"""Two views of a sample are divided by a running scale, which each call updates.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class RunningScale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("scale", torch.ones(size))

    def forward(self, x):
        self.scale.mul_(0.9).add_(x.detach().abs().mean(0), alpha=0.1)
        return x / self.scale


class Siamese(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.net = nn.Linear(size, size)
        self.norm = RunningScale(size)

    def forward(self, a, b):
        return ((self.norm(self.net(a)) - self.norm(self.net(b))) ** 2).sum()


def example():
    torch.manual_seed(0)
    return Siamese(3), (torch.randn(4, 3), torch.randn(4, 3))
