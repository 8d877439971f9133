"""Layers of a Sequential are called one by one, and the input of the second is read afterwards."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))

    def forward(self, x: torch.Tensor):
        h = self.f[0](x)
        r = self.f[1](h)
        return h * 2 + r


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
