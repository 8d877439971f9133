"""A feature vector for each point, made by a helper that a lambda calls.

Torch: vmap: inplace arithmetic
"""
import torch


def features(p, scale):
    phi = torch.zeros(4)
    phi[0] = p[0] * scale
    phi[1] = p[1] * scale
    phi[2] = p[0] * p[1]
    phi[3] = torch.exp(-p.pow(2).sum())
    return phi


def design_matrix(points):
    return torch.vmap(lambda p: features(p, 2.0))(points)


def example():
    torch.manual_seed(0)
    return design_matrix, (torch.randn(3, 2, requires_grad=True),)
