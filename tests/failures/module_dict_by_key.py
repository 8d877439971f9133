"""Branches stored in a ModuleDict one by one; the chosen one's exp is normalised in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return self.fc(x).exp()


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.branches = nn.ModuleDict()
        for key in ("low", "high"):
            self.branches[key] = Head(dim)

    def forward(self, x, key):
        y = self.branches[key](x)
        y /= y.sum(-1, keepdim=True)
        return y


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3), "high")
