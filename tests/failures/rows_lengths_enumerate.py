"""The steps behind each sequence's length are zeroed, row by row.

Torch: modified by an inplace operation
"""
import torch


def pool(hidden, lengths):
    weights = torch.exp(hidden.mean(-1))
    for i, length in enumerate(lengths):
        weights[i, length:] = 0
        weights[i] /= weights[i].sum()
    return (weights.unsqueeze(-1) * hidden).sum(1)


def example():
    torch.manual_seed(0)
    return pool, (torch.randn(2, 3, 2, requires_grad=True), [3, 2])
