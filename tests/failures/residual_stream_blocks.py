"""A residual stream accumulated over blocks; every block's layer norm has saved it.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, d))

    def forward(self, x):
        x += self.mlp(self.ln(x))
        return x


class Transformer(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.embed = nn.Linear(d, d)
        self.blocks = nn.ModuleList([Block(d) for _ in range(n)])

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return x


def example():
    torch.manual_seed(0)
    return Transformer(2, 2), (torch.randn(2, 2),)
