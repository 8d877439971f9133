"""A leaky activation of each row by a boolean mask on a clone.

Torch: vmap: We do not support batching operators that can support dynamic shape
"""
import torch


def leaky(row):
    out = row.clone()
    out[row < 0] = 0.0
    return out + 0.01 * row


def activate(x):
    return torch.vmap(leaky)(x)


def example():
    torch.manual_seed(0)
    return activate, (torch.randn(3, 4, requires_grad=True),)
