"""An activation's result is thrown away: it is called for what it does to a packed sequence, and not for its value."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_sequence


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.squash = nn.ReLU(inplace=True)
        self.cell = nn.GRU(2, 3)

    def forward(self, rows):
        packed = pack_sequence([row * 2 for row in rows])
        self.squash(packed.data)
        states, _ = self.cell(packed)
        return states.data


def example():
    torch.manual_seed(3)
    return Reader(), ([torch.randn(3, 2, requires_grad=True), torch.randn(2, 2, requires_grad=True)],)
