"""Heads are scaled in a loop over unbind, and the whole tensor is used.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class HeadScale(nn.Module):
    def __init__(self, heads, dim):
        super().__init__()
        self.proj = nn.Linear(dim, heads * dim)
        self.heads = heads
        self.scales = nn.ParameterList([nn.Parameter(torch.tensor(0.5 + h)) for h in range(heads)])

    def forward(self, x):
        y = self.proj(x).view(x.size(0), self.heads, -1)
        for head, s in zip(y.unbind(1), self.scales):
            head.mul_(s)
        return y.flatten(1)


def example():
    torch.manual_seed(0)
    return HeadScale(2, 2), (torch.randn(3, 2),)
