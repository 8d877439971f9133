"""A method hands out an attribute, or takes it away: the result is what the attribute held when it was called."""

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = torch.zeros(2)

    def state(self):
        return self.h

    def taken(self):
        h = self.h
        self.h = h + 1
        return h

    def forward(self, x: torch.Tensor):
        self.h = torch.sigmoid(x)
        before = self.state()
        self.h = x * 2
        after = self.state()
        after += 1
        last = self.taken()
        last *= 2
        return before * after * self.h * last


def example():
    return Cell(), (torch.tensor([0.5, 1.5], requires_grad=True),)
