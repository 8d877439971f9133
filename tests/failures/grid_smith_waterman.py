"""Smooth local alignment with gap penalties in a module.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class SmithWaterman(nn.Module):
    def __init__(self, gap=-0.5, temp=1.0):
        super().__init__()
        self.gap = nn.Parameter(torch.tensor(gap))
        self.temp = temp

    def soft_max(self, *options):
        return self.temp * torch.logsumexp(torch.stack(options) / self.temp, dim=0)

    def forward(self, sim):
        a, b = sim.shape
        R = sim.new_zeros(a + 1, b + 1)
        for i in range(a):
            for j in range(b):
                R[i + 1][j + 1] = self.soft_max(
                    R[i][j] + sim[i][j],
                    R[i][j + 1] * torch.sigmoid(self.gap),
                    R[i + 1][j] * torch.sigmoid(self.gap),
                )
        return R.max()


def example():
    torch.manual_seed(0)
    return SmithWaterman(), (torch.randn(2, 2, requires_grad=True),)
