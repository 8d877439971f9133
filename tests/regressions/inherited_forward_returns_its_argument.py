"""`super().forward` returns its argument, which is read after the result is written."""

import torch
from torch import nn


class Base(nn.Module):
    def forward(self, x):
        return x


class Net(Base):
    def forward(self, x):
        h = x * 3
        y = super().forward(h)
        y += 1
        return h


def example():
    return Net(), (torch.tensor([0.5, 1.5], requires_grad=True),)
