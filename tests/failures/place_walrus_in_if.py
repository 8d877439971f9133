"""A walrus binds the scaled norm inside an `if` that clips the activation.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Clip(nn.Module):
    def __init__(self, d, limit):
        super().__init__()
        self.lin = nn.Linear(d, d)
        self.limit = limit

    def forward(self, x):
        h = torch.exp(self.lin(x))
        if (norm := h.norm()) > self.limit:
            h *= self.limit / norm
        return h


def example():
    torch.manual_seed(0)
    return Clip(2, 0.5), (torch.randn(2, 2),)
