"""Rotary embedding with learned frequencies on split halves.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.freq = nn.Parameter(torch.rand(dim // 2))
        self.q = nn.Linear(dim, dim)

    def forward(self, x):
        pos = torch.arange(x.size(0)).unsqueeze(1)
        ang = pos * self.freq
        q = self.q(x)
        q1, q2 = torch.split(q, q.size(-1) // 2, dim=-1)
        old = q1.clone()
        q1 *= ang.cos()
        q1 -= q2 * ang.sin()
        q2 *= ang.cos()
        q2 += old * ang.sin()
        return torch.cat((q1, q2), -1)


def example():
    torch.manual_seed(0)
    return Rotary(4), (torch.randn(3, 4),)
