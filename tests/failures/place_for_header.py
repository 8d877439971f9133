"""The rows that a loop runs over come from a tensor shifted in the loop's header.

Torch: modified by an inplace operation
"""
import torch


def scan(x, w):
    h = torch.sigmoid(x * w)
    out = 0.0
    for row in h.sub_(h.mean()):
        out = out + (row * w).exp().sum()
    return out


def example():
    torch.manual_seed(0)
    return scan, (torch.randn(3, 2), torch.tensor(0.6, requires_grad=True))
