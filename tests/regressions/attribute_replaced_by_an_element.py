"""A method puts an element of a list into an attribute: that is a change."""

import torch
from torch import nn


def put(m, v):
    m.h = v


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = torch.zeros(2)
        self.g = torch.zeros(2)

    def state(self):
        return self.h

    def take(self):
        self.h = self.hs[0]

    def forward(self, x: torch.Tensor):
        self.hs = [x * 3, x * 4]
        self.d = {"a": x * 5}
        self.g = torch.cos(x)
        self.h = torch.sigmoid(x)
        k = self.h
        self.take()
        self.h += 1
        return k * self.h * self.g.sum(), k, self.h


def example():
    return Cell(), (torch.tensor([0.5, 1.5], requires_grad=True),)
