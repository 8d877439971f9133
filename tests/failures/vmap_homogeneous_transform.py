"""Poses to 4x4 matrices: an identity whose blocks are overwritten.

Torch: vmap: inplace arithmetic
"""
import torch
from torch.func import vmap


def to_matrix(R, t):
    T = torch.eye(4)
    T[:3, :3] = R
    T[:3, 3] = t
    return T


def chain(Rs, ts):
    mats = vmap(to_matrix)(Rs, ts)
    out = torch.eye(4)
    for m in mats:
        out = out @ m
    return out


def example():
    torch.manual_seed(0)
    return chain, (torch.randn(3, 3, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True))
