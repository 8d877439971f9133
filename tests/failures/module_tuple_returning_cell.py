"""Stacked cells in a ModuleList return two tensors; one unit of the state is cleared.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Cell(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.i2h = nn.Linear(2 * dim, dim)

    def forward(self, x, h):
        h = torch.tanh(self.i2h(torch.cat([x, h], 1)))
        return h * 2, h


class Rnn(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.cells = nn.ModuleList([Cell(dim) for _ in range(layers)])

    def forward(self, xs, h):
        outs = []
        for x in xs:
            for cell in self.cells:
                x, h = cell(x, h)
                h[:, 0] = 0
            outs.append(x)
        return torch.stack(outs), h


def example():
    torch.manual_seed(0)
    return Rnn(2, 2), (torch.randn(3, 1, 2), torch.zeros(1, 2))
