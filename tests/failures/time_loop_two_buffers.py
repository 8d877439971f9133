"""A second-order recursive filter with two output buffers that read each other.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class StateVariableFilter(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Parameter(torch.tensor(0.3))
        self.q = nn.Parameter(torch.tensor(0.9))

    def forward(self, x):
        n = x.shape[-1]
        low, band = torch.zeros(n + 1), torch.zeros(n + 1)
        for i in range(n):
            low[i + 1] = low[i] + self.f * band[i]
            high = x[i] - low[i + 1] - self.q * band[i]
            band[i + 1] = band[i] + self.f * high
        return low[1:], band[1:]


def example():
    torch.manual_seed(0)
    return StateVariableFilter(), (torch.randn(5),)
