"""A skip connection by plain assignment: both names are the same tensor.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Highway(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.g = nn.Linear(d, d)

    def forward(self, x):
        h = torch.relu(self.fc(x))
        identity = h
        g = torch.sigmoid(self.g(h))
        h *= g
        return h + identity


def example():
    torch.manual_seed(0)
    return Highway(3), (torch.randn(2, 3),)
