"""Camera projection: points are divided by their own depth in place.

Torch: modified by an inplace operation
"""
import torch


def project(points, R, t, focal):
    cam = points @ R.T + t
    cam[:, :2] /= cam[:, 2:]
    cam[:, :2] *= focal
    return cam[:, :2]


def example():
    torch.manual_seed(0)
    return project, (
        torch.rand(3, 3, requires_grad=True),
        torch.eye(3) + 0.1 * torch.randn(3, 3),
        torch.tensor([0., 0., 2.], requires_grad=True),
        torch.tensor(1.5, requires_grad=True),
    )
