"""A classifier brings its weights to unit length in each forward, which runs for two batches.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class NormalisedHead(nn.Module):
    def __init__(self, inputs, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, inputs))

    def forward(self, x):
        with torch.no_grad():
            self.weight.div_(self.weight.norm(dim=1, keepdim=True))
        return F.linear(x, self.weight)


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = NormalisedHead(3, 2)

    def forward(self, weak, strong):
        first = self.head(weak)
        second = self.head(strong)
        return F.cross_entropy(second, first.softmax(1))


def example():
    torch.manual_seed(0)
    return Both(), (torch.randn(4, 3, requires_grad=True), torch.randn(4, 3, requires_grad=True))
