"""A GRU that keeps its hidden state on self and updates it in place at every step.

Torch: modified by an inplace operation
"""
import torch
from torch import nn


class MinimalGRU(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.n_hidden = n_hidden
        self.wz, self.uz = nn.Linear(n_in, n_hidden), nn.Linear(n_hidden, n_hidden)
        self.wn, self.un = nn.Linear(n_in, n_hidden), nn.Linear(n_hidden, n_hidden)
        self.h = None

    def reset(self, batch):
        self.h = torch.zeros(batch, self.n_hidden)

    def forward(self, seq):
        self.reset(seq.size(1))
        for x in seq:
            z = torch.sigmoid(self.wz(x) + self.uz(self.h))
            n = torch.tanh(self.wn(x) + self.un(self.h))
            # h = (1 - z) * h + z * n
            self.h *= 1 - z
            self.h += z * n
        return self.h.pow(2).sum()


def example():
    torch.manual_seed(0)
    return MinimalGRU(2, 2), (torch.randn(3, 2, 2),)
