"""A convolution's effective weight is renormalised through .data in forward.

Torch: nothing, the gradient is wrong
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class EqualConv(nn.Module):
    def __init__(self, c_in, c_out, k):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(c_out, c_in, k, k))
        self.gain = nn.Parameter(torch.ones(c_out))

    def forward(self, x):
        w = self.weight * self.gain.view(-1, 1, 1, 1)
        norm = w.flatten(1).norm(dim=1)
        w.data.div_(norm.view(-1, 1, 1, 1) + 1e-6)
        return F.conv2d(x, w, padding=1)


def example():
    torch.manual_seed(0)
    return EqualConv(2, 2, 3), (torch.randn(1, 2, 4, 4),)
