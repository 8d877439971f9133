"""A public helper that normalises in place and returns its argument.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def normalize(x, eps=1e-6):
    x -= x.mean(dim=-1, keepdim=True)
    x /= x.norm(dim=-1, keepdim=True) + eps
    return x


class Matcher(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.left = nn.Linear(dim, dim)
        self.right = nn.Linear(dim, dim)

    def forward(self, a, b):
        za = normalize(self.left(a))
        zb = normalize(self.right(b))
        return za @ zb.t()


def example():
    torch.manual_seed(0)
    return Matcher(3), (torch.randn(2, 3), torch.randn(2, 3))
