"""Pruning: the parameter itself is masked in forward.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in))
        self.register_buffer("mask", (torch.arange(n_out * n_in).reshape(n_out, n_in) % 3 != 0).float())

    def forward(self, x):
        self.weight *= self.mask
        return F.linear(x, self.weight)


def example():
    torch.manual_seed(0)
    return MaskedLinear(3, 2), (torch.randn(2, 3),)
