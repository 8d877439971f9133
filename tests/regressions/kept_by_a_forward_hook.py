"""A hook that the file registers keeps the result of a layer, and its argument: both see a later write in place."""

import torch
from torch import nn


class Capture:
    def __init__(self, module):
        self.kept = []
        self.handle = module.register_forward_hook(self.keep)

    def keep(self, module, given, result):
        self.kept += [given[0], result]


def f(x):
    torch.manual_seed(0)
    layer = nn.Linear(2, 2)
    capture = Capture(layer)
    h = x.exp()
    y = layer(h)
    h += 1
    y *= 2
    capture.handle.remove()
    return h, y.exp(), capture.kept


def example():
    return f, (torch.tensor([[0.5, -1.0]], requires_grad=True),)
