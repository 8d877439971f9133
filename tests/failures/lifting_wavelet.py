"""A learned lifting scheme on the even and odd samples of one signal.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Lifting(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.predict = nn.Linear(n // 2, n // 2)
        self.update = nn.Linear(n // 2, n // 2)
        self.mix = nn.Linear(n, n)

    def forward(self, x):
        y = self.mix(x)
        even, odd = y[..., ::2], y[..., 1::2]
        odd -= self.predict(even)
        even += self.update(odd)
        return y, odd.abs().mean()


def example():
    torch.manual_seed(0)
    return Lifting(4), (torch.randn(2, 4),)
