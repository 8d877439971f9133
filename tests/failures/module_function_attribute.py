"""The basis function is an attribute; its exp is normalised in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def gaussian(x):
    return torch.exp(-x * x)


class Rbf(nn.Module):
    def __init__(self, dim, basis=gaussian):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.basis = basis

    def forward(self, x):
        phi = self.basis(self.fc(x))
        phi /= phi.sum(-1, keepdim=True)
        return phi


def example():
    torch.manual_seed(0)
    return Rbf(3), (torch.randn(2, 3),)
