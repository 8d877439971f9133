"""The layers of a hidden state are split off and squeezed in place.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class StackedGRU(nn.Module):
    def __init__(self, d, layers):
        super().__init__()
        self.cells = nn.ModuleList(nn.GRUCell(d, d) for _ in range(layers))

    def forward(self, x, h0):
        hx = torch.tanh(h0).split(1, 0)
        hx = [hx[idx].squeeze_(0) for idx in range(len(self.cells))]
        for t in range(x.size(0)):
            inp = x[t]
            for l, cell in enumerate(self.cells):
                hx[l] = cell(inp, hx[l])
                inp = hx[l]
        return inp


def example():
    torch.manual_seed(0)
    return StackedGRU(2, 2), (torch.randn(2, 1, 2), torch.randn(2, 1, 2, requires_grad=True))
