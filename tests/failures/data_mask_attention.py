"""Attention scores masked through .data to silence the in-place error.

Torch: nothing, the gradient is wrong
"""
import torch
import torch.nn as nn


class Pooling(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, x, lengths):
        w = nn.functional.softplus(self.score(x).squeeze(-1))
        mask = torch.arange(x.size(1))[None, :] >= lengths[:, None]
        w.data[mask] = 0
        w = w / w.sum(1, keepdim=True)
        return (w.unsqueeze(-1) * x).sum(1)


def example():
    torch.manual_seed(0)
    return Pooling(2), (torch.randn(2, 3, 2), torch.tensor([3, 2]))
