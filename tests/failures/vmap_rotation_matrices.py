"""Rotation matrices about z, one for each angle of a batch, filled entry by entry.

Torch: vmap: inplace arithmetic
"""
import torch


def rot_z(theta):
    R = torch.zeros(3, 3)
    R[0, 0] = torch.cos(theta)
    R[0, 1] = -torch.sin(theta)
    R[1, 0] = torch.sin(theta)
    R[1, 1] = torch.cos(theta)
    R[2, 2] = 1
    return R


def rotate(angles, points):
    Rs = torch.vmap(rot_z)(angles)
    return torch.einsum("bij,bj->bi", Rs, points)


def example():
    torch.manual_seed(0)
    return rotate, (torch.randn(4, requires_grad=True), torch.randn(4, 3, requires_grad=True))
