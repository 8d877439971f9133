"""Logits are reshaped, masked through the view, and both names are used afterwards.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PairScorer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, 4)

    def forward(self, x):
        p = torch.sigmoid(self.fc(x))
        m = p.view(-1, 2, 2)
        m[:, 0, 0] = 0
        m[:, 1, 1] *= 0.5
        m.transpose(1, 2)[:, 0, 1] += 1.0
        return p.sum(1) * m.amax(dim=(1, 2))


def example():
    torch.manual_seed(0)
    return PairScorer(2), (torch.randn(3, 2),)
