"""`.float()` is meant to upcast, and gives the same tensor in single precision.

Torch: modified by an inplace operation
"""
import torch


def apply_scale(x, gain):
    y = x.float()
    y *= gain
    return y.type_as(x)


def block(x, w, gain):
    h = torch.sigmoid(x @ w)
    out = apply_scale(h, gain)
    return out.sum()


def example():
    torch.manual_seed(0)
    return block, (torch.randn(2, 2), torch.randn(2, 2, requires_grad=True), torch.tensor(1.5, requires_grad=True))
