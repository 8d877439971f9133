"""Queries are scaled in place after einsum has saved them.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class RelAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.wq = nn.Parameter(torch.randn(d, d))
        self.wk = nn.Parameter(torch.randn(d, d))
        self.rel = nn.Parameter(torch.randn(3, d))

    def forward(self, x):
        q = torch.einsum("nd,de->ne", x, self.wq)
        k = torch.einsum("nd,de->ne", x, self.wk)
        content = torch.einsum("ie,je->ij", q, k)
        q *= q.shape[-1] ** -0.5
        position = torch.einsum("ie,je->ij", q, self.rel)
        return torch.softmax(content + position, dim=-1) @ x


def example():
    torch.manual_seed(0)
    return RelAttention(2), (torch.randn(3, 2),)
