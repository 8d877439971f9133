"""Quaternions are normalised in place before they become rotation matrices.

Torch: modified by an inplace operation
"""
import torch


def quat_to_rotmat(q):
    w, x, y, z = q.unbind(-1)
    return torch.stack([
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ], dim=-1).reshape(-1, 3, 3)


def rotate(points, raw):
    q = raw + torch.tensor([1., 0., 0., 0.])
    q /= q.norm(dim=-1, keepdim=True)
    R = quat_to_rotmat(q)
    return torch.einsum('bij,bnj->bni', R, points)


def example():
    torch.manual_seed(0)
    return rotate, (torch.randn(2, 2, 3), torch.randn(2, 4, requires_grad=True))
