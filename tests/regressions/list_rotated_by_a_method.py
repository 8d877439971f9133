"""A method moves the elements of a list: the first one is another."""

import torch
from torch import nn


class Box(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = []

    def rotate(self):
        self.q.append(self.q.pop(0))

    def forward(self, x):
        self.q = [torch.exp(x), torch.sigmoid(x)]
        first = self.q[0]
        self.rotate()
        first *= 2
        return first * x, self.q[0], self.q[1]


def example():
    return Box(), (torch.randn(3, requires_grad=True),)
