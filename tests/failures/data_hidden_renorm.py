"""The hidden state is renormalised through .data after each step "to keep it stable"; its gradient is cut.

Torch: nothing, the gradient is wrong
"""
import torch
import torch.nn as nn


class StableRNN(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.cell = nn.Linear(dim, dim)

    def forward(self, xs, h):
        for x in xs:
            h = self.cell(h) + x
            h.data = h / h.norm()
        return h


def example():
    torch.manual_seed(0)
    return StableRNN(2), (torch.randn(2, 2), torch.randn(2))
