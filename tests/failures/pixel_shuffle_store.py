"""Sub-pixel upsampling by strided stores, followed by an in-place blend.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Upsample2x(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, 4, 1)
        self.blend = nn.Parameter(torch.tensor(0.3))

    def forward(self, x):
        sub = self.conv(x)
        B, _, H, W = sub.shape
        out = sub.new_zeros(B, 1, 2 * H, 2 * W)
        out[:, 0, 0::2, 0::2] = sub[:, 0]
        out[:, 0, 0::2, 1::2] = sub[:, 1]
        out[:, 0, 1::2, 0::2] = sub[:, 2]
        out[:, 0, 1::2, 1::2] = sub[:, 3]
        edge = out[..., :, 1:] * out[..., :, :-1]
        out[..., 1:] -= self.blend * edge
        return out


def example():
    torch.manual_seed(0)
    return Upsample2x(1), (torch.randn(1, 1, 2, 2),)
