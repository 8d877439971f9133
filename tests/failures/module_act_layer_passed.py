"""The class of the activation is handed from the network to its blocks, which make it in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Mlp(nn.Module):
    def __init__(self, dim, act_layer):
        super().__init__()
        self.fc1 = nn.Linear(dim, dim)
        self.act = act_layer(inplace=True)

    def forward(self, x):
        h = self.fc1(x).exp()
        return self.act(h) * 2


class Net(nn.Module):
    def __init__(self, dim, act_layer=nn.LeakyReLU):
        super().__init__()
        self.mlps = nn.ModuleList([Mlp(dim, act_layer=act_layer) for _ in range(2)])

    def forward(self, x):
        for mlp in self.mlps:
            x = mlp(x)
        return x


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
