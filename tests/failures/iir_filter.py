"""A trainable first-order recursive filter.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class OnePole(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = nn.Parameter(torch.tensor(0.4))
        self.a = nn.Parameter(torch.tensor(-0.5))

    def forward(self, x):
        y = torch.zeros_like(x)
        y[..., 0] = self.b * x[..., 0]
        for n in range(1, x.shape[-1]):
            y[..., n] = self.b * x[..., n] - self.a * y[..., n - 1]
        return y


def example():
    torch.manual_seed(0)
    return OnePole(), (torch.randn(2, 6),)
