"""A transformer with a ModuleList of pairs; both layers of a pair add to the stream.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        return (q @ k.transpose(-1, -2)).softmax(-1) @ v


class Mlp(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU())

    def forward(self, x):
        return self.net(x)


class Transformer(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.ModuleList([Attention(dim), Mlp(dim)]))

    def forward(self, x):
        x = x.clone()
        for attn, mlp in self.layers:
            x += attn(x)
            x += mlp(x)
        return x


def example():
    torch.manual_seed(0)
    return Transformer(3, 2), (torch.randn(1, 2, 3),)
