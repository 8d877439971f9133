"""A squeeze-and-excitation gate made of a list of layers; its sigmoid is shifted in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class SEGate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        layers = [nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, dim), nn.Sigmoid()]
        self.gate = nn.Sequential(*layers)

    def forward(self, x):
        return self.gate(x)


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.se = SEGate(dim)
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        w = self.se(x)
        w += 1e-3
        return self.fc(x) * w


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
