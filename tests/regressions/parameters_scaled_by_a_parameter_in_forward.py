"""A forward scales all parameters of a layer by another parameter, whose gradient may be meant."""

import torch
from torch import nn

class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        factor = self.scale * 1.5
        for p in self.linear.parameters():
            p.mul_(self.scale)
            p.mul_(factor)
        return self.linear(x)

def example():
    torch.manual_seed(0)
    return Scaled(), (torch.randn(2, 3, requires_grad=True),)
