"""Coordinates are unbound and translated.

Torch: modified
"""
import torch


def project(points, offset):
    x, y, z = torch.exp(points).unbind(-1)
    x += offset[0]
    y += offset[1]
    x /= z
    y /= z
    return (x * y).sum()


def example():
    torch.manual_seed(0)
    return project, (torch.randn(3, 3, requires_grad=True), torch.randn(2, requires_grad=True))
