"""Layers of a ModuleList all get the same input, and the last one overwrites it."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleList([nn.Linear(2, 2), nn.Tanh(), nn.ReLU(inplace=True)])

    def forward(self, x: torch.Tensor):
        z = x * 1
        return sum(b(z) for b in self.branches) + z


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
