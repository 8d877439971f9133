"""A position encoding by a convolution, which the constructor wraps; its result is added to the input in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos_conv = nn.Conv1d(4, 4, 3, padding=1)
        nn.init.constant_(self.pos_conv.bias, 0.1)
        self.pos_conv = nn.Sequential(self.pos_conv, nn.GELU())
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        x_conv = self.pos_conv(x.transpose(1, 2)).transpose(1, 2)
        x += x_conv
        return self.norm(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(3, 4)
        self.encoder = Encoder()

    def forward(self, x):
        x = self.proj(x)
        return self.encoder(x)


def example():
    torch.manual_seed(0)
    return Model(), (torch.randn(2, 5, 3),)
