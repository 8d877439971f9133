"""A fact is edited into two columns of a weight of a language model.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self, d, hidden):
        super().__init__()
        self.up = nn.Linear(d, hidden)
        self.down = nn.Linear(hidden, d)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(x)))


class Editable(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Mlp(3, 4) for _ in range(2)])

    def edit(self, layer, neurons, old, new):
        for pos in neurons:
            self.blocks[layer].down.weight[:, pos] -= old * 0.5
            self.blocks[layer].down.weight[:, pos] += new * 1.5

    def forward(self, x, old, new):
        self.edit(1, [0, 2], old, new)
        for block in self.blocks:
            x = block(x)
        return x


def example():
    torch.manual_seed(0)
    return Editable(), (torch.randn(2, 3), torch.randn(3), torch.randn(3))
