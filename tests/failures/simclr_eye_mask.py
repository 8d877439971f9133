"""A contrastive loss that masks out the self similarities with a boolean eye.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ContrastiveLoss(nn.Module):
    def __init__(self, tau=0.1):
        super().__init__()
        self.tau = nn.Parameter(torch.tensor(tau))

    def forward(self, feats, labels):
        feats = feats / feats.norm(dim=1, keepdim=True)
        logits = feats @ feats.T / self.tau
        prob = logits.softmax(dim=1)
        eye = torch.eye(len(feats), dtype=torch.bool)
        prob[eye] = 0
        same = labels[:, None] == labels[None, :]
        pos = (prob * same).sum(1)
        return -(pos + 1e-6).log().mean()


def example():
    torch.manual_seed(0)
    return ContrastiveLoss(0.8), (torch.randn(4, 2, requires_grad=True), torch.tensor([0, 1, 0, 1]))
