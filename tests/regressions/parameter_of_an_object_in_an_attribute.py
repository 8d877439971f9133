"""A class of the file makes the attribute a parameter, which no module lets a plain tensor take the place of."""

from types import SimpleNamespace

import torch
from torch import nn


def run(x):
    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Parameter(torch.ones(1), requires_grad=False)

    held = SimpleNamespace(model=Scale())
    held.model.a *= 3
    return x * held.model.a


def example():
    return run, (torch.tensor([0.5, -1.0], requires_grad=True),)
