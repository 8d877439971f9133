"""The batch is reshaped to a sequence and positions are added to that.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class PatchEmbed(nn.Module):
    def __init__(self, c, n):
        super().__init__()
        self.proj = nn.Conv2d(c, c, 1)
        self.pos = nn.Parameter(torch.randn(1, c, n))

    def forward(self, img):
        x = torch.sigmoid(self.proj(img))
        tokens = x.reshape(x.shape[0], x.shape[1], -1)
        tokens += self.pos
        return tokens.transpose(1, 2)


def example():
    torch.manual_seed(0)
    return PatchEmbed(1, 4), (torch.randn(1, 1, 2, 2),)
