"""A transposed tensor is made contiguous, viewed flat and overwritten at some places.

Torch: modified by an inplace operation
"""
import torch


def drop(x, w, idx):
    h = torch.softmax(x @ w, dim=-1)
    flat = h.contiguous().view(-1)
    flat[idx] = 0.0
    return (flat.view_as(h) @ w.t()).sum()


def example():
    torch.manual_seed(0)
    return drop, (torch.randn(2, 2), torch.randn(2, 3, requires_grad=True), torch.tensor([0, 4]))
