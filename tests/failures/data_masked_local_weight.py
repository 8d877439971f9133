"""A scaled weight is masked through .data before it is used.

Torch: nothing, the gradient is wrong
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalConv(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(1, 1, k))
        self.gain = nn.Parameter(torch.tensor(1.5))

    def forward(self, x):
        w = self.weight * self.gain
        w.data[:, :, w.size(2) // 2 + 1:] = 0
        return F.conv1d(x, w, padding=1)


def example():
    torch.manual_seed(0)
    return CausalConv(3), (torch.randn(1, 1, 4),)
