"""Decoding with a preallocated key/value cache, trained through.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class CachedAttention(nn.Module):
    def __init__(self, dim, max_len):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.dim, self.max_len = dim, max_len

    def forward(self, x):
        self.k_cache = torch.zeros(self.max_len, self.dim)
        self.v_cache = torch.zeros(self.max_len, self.dim)
        outs = []
        for pos in range(x.size(0)):
            q, k, v = self.qkv(x[pos]).chunk(3, dim=-1)
            self.k_cache[pos] = k
            self.v_cache[pos] = v
            att = torch.softmax(self.k_cache[:pos + 1] @ q, dim=0)
            outs.append(att @ self.v_cache[:pos + 1])
        return torch.stack(outs)


def example():
    torch.manual_seed(0)
    return CachedAttention(2, 4), (torch.randn(3, 2),)
