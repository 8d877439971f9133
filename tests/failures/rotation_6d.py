"""The six-dimensional rotation representation, orthogonalised in place on slices.

Torch: modified by an inplace operation
"""
import torch
import torch.nn.functional as F


def rotation_from_6d(d6):
    a = d6 * 1.0
    a1, a2 = a[..., :3], a[..., 3:]
    b1 = F.normalize(a1, dim=-1)
    a2 -= (b1 * a2).sum(-1, keepdim=True) * b1
    b2 = F.normalize(a2, dim=-1)
    b3 = torch.cross(b1, b2, dim=-1)
    return torch.stack((b1, b2, b3), dim=-2)


def example():
    torch.manual_seed(0)
    return rotation_from_6d, (torch.randn(2, 6, requires_grad=True),)
