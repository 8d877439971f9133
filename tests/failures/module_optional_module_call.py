"""Dropout of one's own, or an Identity; the skip is added to the softmax that it may return.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Drop(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        return x * torch.bernoulli(torch.full_like(x, 1 - self.p))


class Block(nn.Module):
    def __init__(self, dim, p=0.0):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.drop = Drop(p) if p > 0 else nn.Identity()

    def forward(self, x):
        a = self.fc(x).softmax(-1)
        b = self.drop(a)
        b += x
        return b


def example():
    torch.manual_seed(0)
    return Block(3), (torch.randn(2, 3),)
