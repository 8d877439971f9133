"""A layer flattens what has gaps in memory into a copy; without them it gives a view, which is written."""

import torch
from torch import nn


def run(x):
    k = torch.stack([x, x])[:, 1]
    k.relu_()
    flat = nn.Flatten(0)(k)
    flat[...] = 1
    return k


def example():
    return run, (torch.tensor([[-0.5, 0.2, 0.7], [1.5, -0.8, 0.3]], requires_grad=True),)
