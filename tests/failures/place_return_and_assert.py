"""A write in an assertion's condition and one in the return statement.

Torch: modified by an inplace operation
"""
import torch


def simplex(x):
    p = torch.exp(x)
    assert p.add_(1e-6).min() > 0
    return p.div_(p.sum(-1, keepdim=True))


def example():
    torch.manual_seed(0)
    return simplex, (torch.randn(2, 3, requires_grad=True),)
