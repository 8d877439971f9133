"""A trainer's `log` sorts the weights that it shows, through a flattened view.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Writer:
    def __init__(self):
        self.rows = []

    def add_histogram(self, tag, values, step):
        self.rows.append((tag, step, [float(v) for v in values[:2]]))


class Pruner(nn.Module):
    def __init__(self, d, writer):
        super().__init__()
        self.scores = nn.Parameter(torch.randn(d, d))
        self.writer = writer
        self.steps = 0

    def log(self, mask):
        flat = mask.view(-1)
        flat.mul_(100)
        self.writer.add_histogram("mask", flat.detach(), self.steps)
        self.steps += 1

    def forward(self, x):
        mask = torch.sigmoid(self.scores)
        out = x @ mask
        self.log(mask)
        return out.pow(2).sum()


def example():
    torch.manual_seed(0)
    return Pruner(2, Writer()), (torch.randn(2, 2),)
