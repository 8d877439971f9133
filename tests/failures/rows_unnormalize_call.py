"""A transform object undoes the normalisation of an image channel by channel.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class UnNormalize(object):
    def __init__(self, mean, std):
        self.mean = mean
        self.std = std

    def __call__(self, tensor):
        for t, m, s in zip(tensor, self.mean, self.std):
            t.mul_(s).add_(m)
        return tensor


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 1)
        self.unorm = UnNormalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))

    def forward(self, z):
        img = self.conv(z)[0]
        return self.unorm(img)


def example():
    torch.manual_seed(0)
    return Generator(), (torch.randn(1, 1, 2, 2),)
