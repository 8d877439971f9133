"""The constructor hands an in-place activation to that of its base.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ActBlock(nn.Module):
    def __init__(self, dim, act):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.act = act

    def forward(self, x):
        h = torch.sigmoid(self.fc(x))
        return self.act(h)


class ReluBlock(ActBlock):
    def __init__(self, dim):
        super().__init__(dim, act=nn.ReLU(inplace=True))


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.b = ReluBlock(dim)

    def forward(self, x):
        return self.b(x)


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
