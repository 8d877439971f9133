"""PCEN: the smoother runs along time with a learned coefficient.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PCEN(nn.Module):
    def __init__(self, n_mels):
        super().__init__()
        self.log_s = nn.Parameter(torch.full((n_mels,), -1.0))
        self.alpha = nn.Parameter(torch.tensor(0.9))
        self.delta = nn.Parameter(torch.tensor(2.0))

    def forward(self, E):
        s = self.log_s.exp()
        M = torch.zeros_like(E)
        M[:, :, 0] = E[:, :, 0]
        for t in range(1, E.size(-1)):
            M[:, :, t] = (1 - s) * M[:, :, t - 1] + s * E[:, :, t]
        return (E / (1e-6 + M) ** self.alpha + self.delta) ** 0.5 - self.delta ** 0.5


def example():
    torch.manual_seed(0)
    return PCEN(2), (torch.rand(1, 2, 4) + 0.1,)
