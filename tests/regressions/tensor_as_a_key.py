"""A dictionary holds its keys, too: a tensor that is one must stay the object that it is."""

import torch


def shown(x):
    h = x * 2
    names = {h: 1.0}
    h += 1
    y = x * 3
    scales = {}
    scales[y] = 2.0
    y -= 1
    z = x * 4
    squares = {key: key * key for key in (z,)}
    z *= 2
    return names[h] * h + scales[y] * y + squares[z]


def example():
    torch.manual_seed(0)
    return shown, (torch.randn(4, requires_grad=True),)
