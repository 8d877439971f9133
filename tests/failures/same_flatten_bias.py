"""A flattened activation gets its bias added; the skip connection reads the activation.

Torch: modified by an inplace operation
"""
import torch


def head(x, w, b):
    h = torch.exp(x @ w)
    flat = torch.flatten(h)
    flat += b
    return (flat * 0.5).sum() + h.mean()


def example():
    torch.manual_seed(0)
    return head, (torch.randn(2, 2), torch.randn(2, 3, requires_grad=True), torch.randn(6, requires_grad=True))
