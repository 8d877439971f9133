"""Spherical coordinates; a helper writes into the tensor that it gets.

Torch: vmap: inplace arithmetic
"""
import torch


def _write_angles(out, v):
    out[1] = torch.atan2(v[1], v[0])
    out[2] = torch.acos(v[2] / v.norm())


def spherical(v):
    out = torch.zeros(3)
    out[0] = v.norm()
    _write_angles(out, v)
    return out


def convert(vectors):
    return torch.vmap(spherical)(vectors)


def example():
    torch.manual_seed(0)
    return convert, (torch.randn(3, 3, requires_grad=True),)
