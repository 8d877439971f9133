"""A walrus names the result of an in-place activation inside a larger expression.

Torch: modified by an inplace operation
"""
import torch


def gated(x, w, v):
    h = torch.sigmoid(x @ w)
    out = (y := h.mul_(2.0)) * torch.tanh(x @ v)
    return out.sum() + y.mean()


def example():
    torch.manual_seed(0)
    return gated, (torch.randn(2, 2), torch.randn(2, 2, requires_grad=True), torch.randn(2, 2, requires_grad=True))
