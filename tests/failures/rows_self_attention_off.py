"""Each row of an attention map drops its own position, enumerated.

Torch: is a view and is being modified inplace
"""
import torch


def hop(q, k):
    att = torch.softmax(q @ k.t(), dim=-1)
    for i, row in enumerate(att):
        row[i] = 0
        row /= row.sum() + 1e-6
    return att


def example():
    torch.manual_seed(0)
    return hop, (torch.randn(3, 2, requires_grad=True), torch.randn(3, 2))
