"""Logits and targets are flattened by reshape; the logits are clamped there, after a regulariser has used them.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class DiceLoss(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, logits, targets):
        probs = torch.sigmoid(logits)
        reg = (probs * torch.log(probs)).mean()
        p = probs.reshape(-1)
        t = targets.reshape(-1).float()
        p.clamp_(1e-3, 0.9)
        inter = (p * t).sum()
        return 1 - (2 * inter + self.smooth) / (p.sum() + t.sum() + self.smooth) + 0.1 * reg


def example():
    torch.manual_seed(0)
    return DiceLoss(), (torch.randn(2, 3, requires_grad=True), torch.tensor([[1, 0, 1], [0, 0, 1]]))
