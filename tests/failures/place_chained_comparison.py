"""A loop condition reads the loss of a step that is taken in it, with a helper that writes its argument.

Torch: modified by an inplace operation
"""
import torch


def _relax(z, w):
    z += 0.5 * torch.tanh(z @ w)
    return z.norm().item()


def relaxed(z0, w):
    z = z0.sigmoid()
    k = 0
    while _relax(z, w) < 50 and k < 2:
        k += 1
    return z.sum()


def example():
    torch.manual_seed(0)
    return relaxed, (torch.randn(3, requires_grad=True), torch.randn(3, 3, requires_grad=True))
