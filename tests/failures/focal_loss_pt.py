"""Binary focal loss: probabilities of the negatives are flipped in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class FocalLoss(nn.Module):
    def __init__(self, alpha=0.25, gamma=2.0):
        super().__init__()
        self.alpha = alpha
        self.gamma = gamma

    def forward(self, logits, targets):
        pt = torch.sigmoid(logits)
        pt[targets == 0] = 1 - pt[targets == 0]
        alpha = torch.full_like(pt, self.alpha)
        alpha[targets == 0] = 1 - self.alpha
        loss = -alpha * (1 - pt) ** self.gamma * torch.log(pt.clamp(min=1e-7))
        return loss.mean()


def example():
    torch.manual_seed(0)
    return FocalLoss(), (torch.randn(6, requires_grad=True), torch.tensor([0, 1, 1, 0, 1, 0]))
