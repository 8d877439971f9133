"""A layer that a ModuleList holds too is also run from there: its flag isn't taken for its one call alone."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.layers = nn.ModuleList([self.act])

    def forward(self, x: torch.Tensor):
        h = self.act(x * 2)
        z = x - 1
        for m in self.layers:
            m(z)
        return h + z


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
