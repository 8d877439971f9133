"""A delay line with learned taps that shifts its buffer at every sample.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class AdaptiveFIR(nn.Module):
    def __init__(self, order):
        super().__init__()
        self.taps = nn.Parameter(torch.randn(order))

    def forward(self, x):
        line = torch.zeros(self.taps.numel())
        y = []
        for sample in x:
            line[1:] = line[:-1].clone()
            line[0] = sample
            y.append((self.taps * line).sum())
        return torch.stack(y)


def example():
    torch.manual_seed(0)
    return AdaptiveFIR(3), (torch.randn(5, requires_grad=True),)
