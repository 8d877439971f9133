"""A softmax prior is expanded to the batch; its exponential is masked after the division has saved it.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PriorNet(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.logits = nn.Parameter(torch.randn(k))

    def forward(self, x):
        prior = torch.softmax(self.logits, dim=0)
        p = prior.expand(x.size(0), -1).clone()
        q = p.exp()
        p /= q.sum(dim=1, keepdim=True)
        q[:, 0] = 0.
        return (p * q * x).sum(1)


def example():
    torch.manual_seed(0)
    return PriorNet(3), (torch.randn(2, 3),)
