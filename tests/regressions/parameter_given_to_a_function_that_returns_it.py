"""A function returns what it adds to a parameter: under `no_grad` the parameter itself would change."""
import torch
from torch import nn


def shifted(w, by):
    w += by
    return w


class Shift(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, 2.0]))

    def forward(self, x):
        return shifted(self.weight, 0.5) * x


def example():
    return Shift(), (torch.tensor([2.0, 3.0]),)
