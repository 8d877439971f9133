"""Rotary phases as complex numbers by torch.polar, with a learned decay multiplied in.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class DecayingRotary(nn.Module):
    def __init__(self, half):
        super().__init__()
        self.theta = nn.Parameter(torch.rand(half))
        self.decay = nn.Parameter(torch.tensor(0.1))

    def forward(self, x):
        n, d = x.shape
        t = torch.arange(n)
        ang = torch.outer(t, self.theta)
        cis = torch.polar(torch.ones_like(ang), ang)
        cis *= torch.exp(-self.decay * t)[:, None]
        xc = torch.view_as_complex(x.reshape(n, d // 2, 2))
        return torch.view_as_real(xc * cis).flatten(1)


def example():
    torch.manual_seed(0)
    return DecayingRotary(2), (torch.randn(3, 4, requires_grad=True),)
