"""Batch normalisation written by hand, with in-place centring and running statistics.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class MyBatchNorm(nn.Module):
    def __init__(self, dim, momentum=0.1, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.register_buffer("running_mean", torch.zeros(dim))
        self.momentum, self.eps = momentum, eps

    def forward(self, x):
        mean = x.mean(0)
        with torch.no_grad():
            self.running_mean.mul_(1 - self.momentum).add_(mean, alpha=self.momentum)
        x = x - mean
        var = x.pow(2).mean(0)
        x /= torch.sqrt(var + self.eps)
        x *= self.weight
        x += self.bias
        return x


def example():
    torch.manual_seed(0)
    return MyBatchNorm(2), (torch.randn(3, 2, requires_grad=True),)
