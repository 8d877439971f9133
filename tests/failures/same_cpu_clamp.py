"""`.cpu()` before clamping, for an operator that once had no GPU version.

Torch: modified by an inplace operation
"""
import torch


def roots(coeff):
    disc = torch.sqrt(coeff[:, 1] ** 2 + 4 * coeff[:, 0].abs())
    d = disc.cpu()
    d.clamp_(min=0.5)
    return (d - coeff[:, 1]).sum()


def example():
    torch.manual_seed(0)
    return roots, (torch.randn(4, 2, requires_grad=True),)
