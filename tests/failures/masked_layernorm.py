"""Masked normalisation of padded sequences.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class MaskedNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x, mask):
        m = mask.unsqueeze(-1).to(x.dtype)
        n = m.sum(dim=1, keepdim=True)
        mean = (x * m).sum(1, keepdim=True) / n
        xc = x - mean
        std = (xc ** 2 * m).sum(1, keepdim=True).div_(n).add_(1e-5).sqrt_()
        xc /= std
        xc *= self.gain
        xc[~mask] = 0.0
        return xc


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.norm = MaskedNorm(dim)

    def forward(self, x, mask):
        return self.norm(self.fc(x), mask)


def example():
    torch.manual_seed(0)
    return Model(2), (torch.randn(2, 3, 2), torch.tensor([[True, True, True], [True, True, False]]))
