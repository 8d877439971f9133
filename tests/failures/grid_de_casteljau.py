"""De Casteljau: control points are blended pairwise, level by level.

Torch: modified by an inplace operation
"""
import torch


def bezier(points, t):
    pts = points.clone()
    n = pts.shape[0]
    for r in range(1, n):
        for i in range(n - r):
            pts[i] = (1 - t) * pts[i] + t * pts[i + 1]
    return pts[0]


def example():
    torch.manual_seed(0)
    return bezier, (torch.randn(3, 2, requires_grad=True), torch.tensor(0.3, requires_grad=True))
