"""A small lambda that scales what it gets in place; the caller goes on with its own name.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def contrast(model, x, gain):
    stretch = lambda t: t.mul_(gain).clamp_(0, 1)
    p = torch.sigmoid(model(x))
    q = 1 - p
    stretch(p)
    stretch(q)
    return p * q


def example():
    torch.manual_seed(0)
    return contrast, (nn.Linear(2, 2), torch.randn(2, 2), torch.tensor(1.2, requires_grad=True))
