"""A stacked RNN whose (layers, batch, hidden) state is overwritten layer by layer within a step.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class StackedRNN(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.cells = nn.ModuleList([nn.RNNCell(dim, dim) for _ in range(layers)])
        self.dim = dim

    def init_hidden(self, batch):
        return torch.zeros(len(self.cells), batch, self.dim)

    def forward(self, inputs):
        hidden = self.init_hidden(inputs.size(1))
        outputs = []
        for x in inputs:
            for layer, cell in enumerate(self.cells):
                hidden[layer] = cell(x, hidden[layer])
                x = hidden[layer]
            outputs.append(x)
        return torch.stack(outputs), hidden


def example():
    torch.manual_seed(0)
    return StackedRNN(2, 2), (torch.randn(3, 1, 2),)
