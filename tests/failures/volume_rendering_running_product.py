"""Front-to-back compositing with running accumulators.

Torch: modified by an inplace operation
"""
import torch


def render(alphas, colors):
    H, S = alphas.shape
    T = torch.ones(H)
    img = torch.zeros(H, 3)
    depth = torch.zeros(H)
    for s in range(S):
        w = T * alphas[:, s]
        img += w[:, None] * colors[:, s]
        depth += w * s
        T *= 1 - alphas[:, s]
    img += T[:, None]  # white background
    return img, depth


def example():
    torch.manual_seed(0)
    return render, (torch.rand(2, 3, requires_grad=True), torch.rand(2, 3, 3, requires_grad=True))
