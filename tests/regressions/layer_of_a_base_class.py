"""A layer with a flag is also called by a subclass, where its input is read: that gets the result, too."""

import torch
from torch import nn


class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor):
        return self.act(x * 2)


class M(A):
    def forward(self, x: torch.Tensor):
        z = x - 1
        w = self.act(z)
        return w * 2 + z + super().forward(x)


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
