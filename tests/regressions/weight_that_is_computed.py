"""What stands in the place of a layer's weight may be computed: torch allows the write, and autograd records it."""

import torch
from torch import nn


class Generated(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.make = nn.Linear(2, 4)
        self.fc = nn.Linear(2, 2)
        del self.fc.weight

    def load(self, z):
        self.fc.weight = self.make(z).view(2, 2)

    def shrink(self):
        self.fc.weight *= 0.5

    def forward(self, x, z):
        self.load(z)
        self.shrink()
        return self.fc(x)


def f(x, z):
    model = Generated()
    y = model(x, z)
    return y, torch.autograd.grad(y.pow(2).sum(), list(model.make.parameters()))


def example():
    return f, (torch.tensor([[0.5, -1.0]]), torch.tensor([1.0, 2.0]))
