"""Pondering: halted samples are frozen by a masked store, the loop ends when all have halted.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Ponder(nn.Module):
    def __init__(self, d, max_steps=3):
        super().__init__()
        self.f = nn.Linear(d, d)
        self.halt = nn.Linear(d, 1)
        self.max_steps = max_steps

    def forward(self, x):
        h = x.tanh()
        running = torch.ones(x.size(0), dtype=torch.bool)
        cost = 0
        for n in range(self.max_steps):
            new = torch.tanh(self.f(h))
            p = torch.sigmoid(self.halt(h)).squeeze(-1)
            h[running] = new[running]
            cost = cost + p[running].sum()
            running &= p < 0.55
            if not running.any():
                break
        return h, cost


def example():
    torch.manual_seed(0)
    return Ponder(2), (torch.randn(4, 2, requires_grad=True),)
