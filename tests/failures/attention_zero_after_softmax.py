"""Multi-head attention where padded keys are zeroed after the softmax and the rest renormalised.

Torch: modified by an inplace operation
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x, pad_mask):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q @ k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        attn = F.softmax(attn, dim=-1)
        attn[pad_mask[:, None, None, :].expand_as(attn)] = 0.
        attn /= attn.sum(-1, keepdim=True) + 1e-6
        return (attn @ v).transpose(1, 2).reshape(B, N, C)


def example():
    torch.manual_seed(0)
    mask = torch.tensor([[False, False, True]])
    return SelfAttention(2, 1), (torch.randn(1, 3, 2), mask)
