"""A learned position table is filled with sines, two columns at a time.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import math

import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, length, d_model):
        super().__init__()
        self.pe = nn.Parameter(torch.zeros(length, d_model))

    def reset(self):
        length, d_model = self.pe.shape
        position = torch.arange(length).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(100.0) / d_model))
        self.pe[:, 0::2] = torch.sin(position * div)
        self.pe[:, 1::2] = torch.cos(position * div)

    def forward(self, x):
        self.reset()
        return x * self.pe[: x.size(1)]


def example():
    torch.manual_seed(0)
    return PositionalEncoding(3, 4), (torch.randn(2, 2, 4),)
