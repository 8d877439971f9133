"""Scores are moved to the device of the mask, which changes nothing on one device, and masked there.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PointerHead(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d)

    def forward(self, x, mask):
        scores = torch.exp(self.q(x) @ x.t())
        masked = scores.to(mask.device)
        masked[mask] = 0
        return masked / masked.sum(-1, keepdim=True)


def example():
    torch.manual_seed(0)
    return PointerHead(2), (torch.randn(3, 2), torch.eye(3, dtype=torch.bool))
