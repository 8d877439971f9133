"""A cell's state is read through a property and scaled in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Cell(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self._state = None

    @property
    def state(self):
        return self._state

    def forward(self, x):
        self._state = torch.tanh(self.fc(x))
        return self._state


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.cell = Cell(dim)

    def forward(self, x):
        y = self.cell(x)
        s = self.cell.state
        s *= 0.5
        return y.sum() + s.sum()


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
