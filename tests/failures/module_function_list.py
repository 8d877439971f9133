"""Each layer has an activation function from a list; a constant is added to its result.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def softexp(x):
    return torch.exp(-x * x)


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fcs = nn.ModuleList([nn.Linear(dim, dim) for _ in range(3)])
        self.acts = [torch.sigmoid, torch.tanh, softexp]

    def forward(self, x):
        for fc, act in zip(self.fcs, self.acts):
            x = act(fc(x))
            x += 0.1
        return x


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
