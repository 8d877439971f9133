"""Colour jitter in HSV-like space, writing channel by channel.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ColorJitter(nn.Module):
    def __init__(self):
        super().__init__()
        self.hue = nn.Parameter(torch.tensor(0.1))
        self.sat = nn.Parameter(torch.tensor(1.2))
        self.gamma = nn.Parameter(torch.tensor(0.8))

    def forward(self, img):
        hsv = torch.stack(self.to_hsv(img), dim=-1)
        hsv[..., 0] = (hsv[..., 0] + self.hue) * 0.9
        hsv[..., 1] = hsv[..., 1] * self.sat
        hsv[..., 2] = hsv[..., 2] ** self.gamma
        return hsv.clamp(0, 1)

    def to_hsv(self, img):
        v = img.max(dim=-1).values
        c = v - img.min(dim=-1).values
        return img.mean(-1) / 2, c / (v + 1e-6) / 2, v


def example():
    torch.manual_seed(0)
    return ColorJitter(), (torch.rand(2, 2, 3, requires_grad=True) ,)
