"""Stochastic depth with div_ and mul_ on the branch's activation.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def drop_path(x, drop_prob: float = 0., training: bool = False):
    if drop_prob == 0. or not training:
        return x
    keep_prob = 1 - drop_prob
    shape = (x.shape[0],) + (1,) * (x.ndim - 1)
    mask = keep_prob + torch.rand(shape, dtype=x.dtype, device=x.device)
    mask.floor_()
    return x.div_(keep_prob).mul_(mask)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)

    def forward(self, x):
        return x + drop_path(torch.tanh(self.fc(x)), 0.4, self.training)


def example():
    torch.manual_seed(0)
    return Block(2), (torch.randn(4, 2),)
