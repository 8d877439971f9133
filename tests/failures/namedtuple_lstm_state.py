"""A peephole LSTM whose cell state travels in a namedtuple and is written in place.

Torch: modified by an inplace operation
"""
from collections import namedtuple

import torch
import torch.nn as nn

State = namedtuple('State', ['h', 'c'])


class Recurrent(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(2 * dim, 2 * dim)
        self.peep = nn.Parameter(torch.randn(dim))

    def forward(self, seq):
        B, D = seq.shape[1:]
        state = State(torch.zeros(B, D), torch.zeros(B, D))
        for x in seq:
            f, g = self.lin(torch.cat([x, state.h], 1)).chunk(2, 1)
            c = state.c
            gate = torch.sigmoid(f + self.peep * c)
            c *= gate
            c += g.tanh()
            state = State(h=torch.tanh(c), c=c)
        return state.h


def example():
    torch.manual_seed(0)
    return Recurrent(2), (torch.randn(3, 1, 2),)
