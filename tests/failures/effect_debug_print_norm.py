"""A debugging print normalises what it shows.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def show(name, t):
    t.div_(t.norm() + 1e-6)
    print(name, [round(v, 2) for v in t.view(-1).tolist()][:2])


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)

    def forward(self, x):
        q, k = self.q(x).exp(), self.k(x)
        att = (q * k).sum()
        show("query", q)
        return att


def example():
    torch.manual_seed(0)
    return Block(2), (torch.randn(2, 2),)
