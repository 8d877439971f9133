"""`nn.ReLU(inplace=True)` writes the parameter that a loop left in a name: nobody reads the name, but the module does."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, -2.0]))
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        for p in self.parameters():
            pass
        with torch.no_grad():
            self.act(p)
        return x * 2


def example():
    return Net(), (torch.tensor([[0.5, 0.25]], requires_grad=True),)
