"""A private helper that standardises its argument in place, called from forward.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def _norm_(x):
    x -= x.mean(0)
    x /= x.std(0) + 1e-5


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 2)
        self.fc2 = nn.Linear(2, 1)

    def forward(self, x):
        h = torch.tanh(self.fc1(x))
        _norm_(h)
        return self.fc2(h)


def example():
    torch.manual_seed(0)
    return Net(), (torch.randn(4, 3),)
