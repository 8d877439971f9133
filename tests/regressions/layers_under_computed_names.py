"""Layers under computed names, one of them an Identity: its input is read after the result is written."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act0 = nn.Softplus()
        self.act1 = nn.Identity()

    def forward(self, x):
        h = x * 3
        for i in range(2):
            y = getattr(self, f"act{i}")(h)
            y += 1
        return h


def example():
    return Net(), (torch.tensor([0.5, 1.5], requires_grad=True),)
