"""Grouped features: each chunk gets its own bias and activation in place.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class Grouped(nn.Module):
    def __init__(self, d, groups):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.bias = nn.Parameter(torch.randn(groups))
        self.groups = groups

    def forward(self, x):
        parts = self.fc(x).chunk(self.groups, dim=-1)
        for i, part in enumerate(parts):
            part += self.bias[i]
            part.tanh_()
        return torch.cat(parts, dim=-1)


def example():
    torch.manual_seed(0)
    return Grouped(4, 2), (torch.randn(2, 4),)
