"""A block derived from Sequential hands its layers on; the skip is added to its sigmoid.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ConvBNReLU(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__(nn.Conv1d(cin, cout, 3, padding=1), nn.BatchNorm1d(cout), nn.Sigmoid())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = ConvBNReLU(2, 3)
        self.body = ConvBNReLU(3, 3)

    def forward(self, x):
        x = self.stem(x)
        y = self.body(x)
        y += x
        return y


def example():
    torch.manual_seed(0)
    return Net(), (torch.randn(2, 2, 4),)
