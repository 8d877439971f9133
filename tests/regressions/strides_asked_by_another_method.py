"""Another method asks for the order of a transposed tensor's elements, which masked_fill() doesn't keep."""

import torch
import torch.nn as nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = None

    def forward(self, x):
        self.h = x.exp().t()
        self.h[self.h > 1] = 0
        return self.flat() + 1

    def flat(self):
        return self.h.t().view(-1)


def f(x):
    return Cell()(x)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
