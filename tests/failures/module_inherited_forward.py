"""A subclass inherits `forward`; a constant is added to the sigmoid that it returns.

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
    def __init__(self, dim):
        super().__init__(dim)
        self.extra = nn.Linear(dim, dim)


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.child = Child(dim)

    def forward(self, x):
        y = self.child(x)
        y += 1
        return y


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
