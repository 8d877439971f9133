"""Patches of an image are processed one by one and stored by window.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PatchGate(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p
        self.fc = nn.Linear(p * p, p * p)

    def forward(self, x):
        B, H, W = x.shape
        out = torch.zeros_like(x)
        p = self.p
        for i in range(H // p):
            for j in range(W // p):
                patch = x[:, i * p:(i + 1) * p, j * p:(j + 1) * p].reshape(B, -1)
                out[:, i * p:(i + 1) * p, j * p:(j + 1) * p] = torch.sigmoid(self.fc(patch)).view(B, p, p)
                out[:, i * p:(i + 1) * p, j * p:(j + 1) * p] *= out[:, i * p:(i + 1) * p, j * p:(j + 1) * p]
        return out.sum()


def example():
    torch.manual_seed(0)
    return PatchGate(2), (torch.randn(2, 4, 4),)
