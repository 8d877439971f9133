"""An activation class is called with `inplace=True`; its input is used again.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Mlp(nn.Module):
    def __init__(self, dim, act_layer=nn.ReLU):
        super().__init__()
        self.fc1 = nn.Linear(dim, dim)
        self.act = act_layer(inplace=True)
        self.fc2 = nn.Linear(dim, dim)

    def forward(self, x):
        h = self.fc1(x).sigmoid()
        return self.fc2(self.act(h)) + h


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mlp = Mlp(dim)

    def forward(self, x):
        return self.mlp(x)


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
