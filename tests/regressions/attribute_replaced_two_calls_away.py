"""A method replaces an attribute by calling another method: what the attribute held before is not what it holds now."""

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = torch.zeros(2)

    def clear(self):
        self.h = torch.zeros(2)

    def reset(self):
        self.clear()

    def forward(self, x: torch.Tensor):
        self.h = torch.sigmoid(x)
        k = self.h
        self.reset()
        self.h += 1
        return k * self.h


def example():
    return Cell(), (torch.tensor([0.5, 1.5], requires_grad=True),)
