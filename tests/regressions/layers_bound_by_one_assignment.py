"""Layers bound by one assignment of a tuple are told apart, and the input of the second is read afterwards."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.act = nn.Linear(2, 2), nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor):
        y = self.conv(x)
        z = self.act(y)
        return z * 2 + y


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
