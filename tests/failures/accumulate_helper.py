"""A small helper that adds into a slot of a buffer; the buffer is read by the next step.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def accumulate(buf, idx, val):
    buf[idx] += val


class Ladder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.dim = dim

    def forward(self, xs):
        acc = torch.zeros(len(xs), self.dim)
        for i, x in enumerate(xs):
            prev = acc[i - 1] if i else x
            accumulate(acc, i, torch.tanh(self.fc(prev)) + x)
        return acc


def example():
    torch.manual_seed(0)
    return Ladder(2), (torch.randn(3, 2),)
