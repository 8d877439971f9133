"""A block whose activation is a default argument made with `inplace=True`, after a tanh.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ResBlock(nn.Module):
    def __init__(self, dim, activation=nn.ReLU(inplace=True)):
        super().__init__()
        self.fc1 = nn.Linear(dim, dim)
        self.fc2 = nn.Linear(dim, dim)
        self.activation = activation

    def forward(self, x):
        h = torch.tanh(self.fc1(x))
        y = self.activation(h)
        return self.fc2(y)


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.a = ResBlock(dim)
        self.b = ResBlock(dim)

    def forward(self, x):
        return self.b(self.a(x))


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
