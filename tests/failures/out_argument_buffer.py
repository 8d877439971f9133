"""A preallocated workspace passed as out= to save memory.

Torch: out=... arguments don't support automatic differentiation
"""
import torch
import torch.nn as nn


class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        g = torch.sigmoid(self.fc(x))
        buf = torch.empty_like(x)
        torch.mul(x, g, out=buf)
        torch.add(buf, x, out=buf)
        return buf


def example():
    torch.manual_seed(0)
    return Gate(2), (torch.randn(2, 2),)
