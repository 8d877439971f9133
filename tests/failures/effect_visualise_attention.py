"""Attention maps are stored for plotting, scaled to their maximum.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.maps = []

    def _store(self, att):
        flat = att.reshape(att.shape[0], -1)
        flat /= flat.max(dim=1, keepdim=True).values
        self.maps.append(flat.detach().cpu())

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        att = torch.softmax(q @ k.transpose(-1, -2), -1)
        out = att @ v
        self._store(att)
        return out


def example():
    torch.manual_seed(0)
    return SelfAttention(2), (torch.randn(2, 3, 2),)
