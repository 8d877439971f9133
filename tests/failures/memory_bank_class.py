"""A key-value memory as a plain class; write() stores into a row that read() has used.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class MemoryBank:
    def __init__(self, slots, dim):
        self.keys = torch.zeros(slots, dim)
        self.values = torch.zeros(slots, dim)
        self.ptr = 0

    def write(self, k, v):
        self.keys[self.ptr] = k
        self.values[self.ptr] = v
        self.ptr = (self.ptr + 1) % self.keys.size(0)

    def read(self, q):
        w = torch.softmax(self.keys @ q, dim=0)
        return w @ self.values


class MemoryAgent(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)

    def forward(self, xs):
        bank = MemoryBank(2, xs.size(-1))
        out = 0
        for x in xs:
            bank.write(self.k(x), self.v(x))
            out = out + bank.read(x).sum()
        return out


def example():
    torch.manual_seed(0)
    return MemoryAgent(2), (torch.randn(3, 2),)
