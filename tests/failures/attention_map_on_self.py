"""Attention weights kept on self for plotting, masked there.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.attn = None

    def forward(self, x, mask):
        self.attn = torch.softmax(self.q(x) @ x.transpose(-1, -2), dim=-1)
        self.attn[mask] = 0.0
        return self.attn @ x


def example():
    torch.manual_seed(0)
    mask = torch.tensor([[False, True, False], [False, False, True], [True, False, False]])
    return Attn(2), (torch.randn(3, 2), mask)
