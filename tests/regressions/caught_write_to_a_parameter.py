"""The error that torch raises at a write to a parameter is caught: the parameter stays what it was."""
import torch
from torch import nn


class Shift(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, 2.0]))

    def forward(self, x):
        try:
            self.weight += 1
        except RuntimeError:
            pass
        return self.weight * x


def example():
    return Shift(), (torch.tensor([2.0, 3.0]),)
