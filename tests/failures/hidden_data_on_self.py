"""A controller that stores its hidden state through .data, so that only the last step learns.

Torch: nothing, the gradient is wrong
"""
import torch
import torch.nn as nn


class Controller(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.inp = nn.Linear(dim, dim)
        self.rec = nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(dim, 1)
        self.dim = dim

    def forward(self, seq):
        self.h = torch.zeros(self.dim)
        for x in seq:
            self.h.data = torch.tanh(self.inp(x) + self.rec(self.h))
        return self.out(self.h)


def example():
    torch.manual_seed(0)
    return Controller(2), (torch.randn(3, 2),)
