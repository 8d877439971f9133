"""`forward` adds the skip to what `super().forward` returned, a sigmoid.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Base(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return torch.sigmoid(self.fc(x))


class Child(Base):
    def forward(self, x):
        y = super().forward(x)
        y += x
        return y


def example():
    torch.manual_seed(0)
    return Child(3), (torch.randn(2, 3),)
