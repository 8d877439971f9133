"""A helper gets the activation function and whether it works in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_act(x, weight, act, inplace):
    h = torch.sigmoid(x @ weight)
    return act(h, inplace=inplace)


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(dim, dim))

    def forward(self, x):
        return conv_act(x, self.weight, F.relu, True)


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
