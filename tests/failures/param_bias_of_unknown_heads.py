"""The biases of the heads of a detector, whose model is made from a list of names, get the prior of the classes.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import math

import torch
import torch.nn as nn


class Detect(nn.Module):
    def __init__(self, sizes=(2, 3)):
        super().__init__()
        self.anchors = 2
        self.heads = nn.ModuleList(nn.Linear(size, 6) for size in sizes)

    def forward(self, x):
        return sum(head(x[..., : head.in_features]).pow(2).sum() for head in self.heads)


KINDS = {"Detect": Detect, "Linear": nn.Linear}


def parse(spec):
    return nn.Sequential(*[KINDS[name](*given) for name, given in spec])


class Model(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.model = parse(spec)

    def init_biases(self, frequency=None):
        last = self.model[-1]
        for head, stride in zip(last.heads, (8, 16)):
            b = head.bias.view(last.anchors, -1)
            b[:, 1] += math.log(8 / (64 / stride) ** 2)
            b[:, 2:] += math.log(0.6) if frequency is None else torch.log(frequency / frequency.sum())

    def forward(self, x):
        self.init_biases()
        return self.model(x)


def example():
    torch.manual_seed(0)
    return Model([("Linear", (3, 3)), ("Detect", ())]), (torch.randn(4, 3),)
