"""A linear-chain CRF whose forward vector is kept normalised in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class CRF(nn.Module):
    def __init__(self, n_tags):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(n_tags, n_tags))

    def log_partition(self, feats, mask):
        T = torch.exp(self.transitions)
        alpha = torch.exp(feats[0])
        log_z = 0
        for t in range(1, len(feats)):
            z = alpha.sum()
            alpha /= z
            log_z = log_z + torch.log(z)
            new = (T @ alpha) * torch.exp(feats[t])
            if mask[t]:
                alpha = new
        return log_z + torch.log(alpha.sum())

    def forward(self, feats, mask):
        return self.log_partition(feats, mask)


def example():
    torch.manual_seed(0)
    return CRF(2), (torch.randn(3, 2, requires_grad=True), [True, True, True])
