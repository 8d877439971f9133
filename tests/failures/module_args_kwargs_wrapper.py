"""A wrapper hands all arguments on to the module inside; the residual is added to its sigmoid.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Inner(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x, scale=1.0):
        return torch.sigmoid(self.fc(x))


class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.inner = Wrapper(Inner(dim))

    def forward(self, x):
        y = self.inner(x, scale=2.0)
        y += x
        return y


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
