"""A clone's rows are scaled by learned scales and clipped.

Torch: is a view and is being modified inplace
"""
import torch


def augment(spec, gains):
    out = spec.clone()
    for band, g in zip(out, gains):
        band *= g
        band.clamp_(min=-1.0)
    return out


def run(x, gains):
    return augment(x.sin(), gains)


def example():
    torch.manual_seed(0)
    return run, (torch.randn(3, 2, requires_grad=True), torch.rand(3, requires_grad=True))
