"""Activations looked up in a module-level table of modules.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn

ACTIVATIONS = {
    "relu": nn.ReLU(inplace=True),
    "elu": nn.ELU(inplace=True),
    "silu": nn.SiLU(inplace=True),
}


class Layer(nn.Module):
    def __init__(self, d, act):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.act = ACTIVATIONS[act]

    def forward(self, x):
        return self.act(torch.sigmoid(self.fc(x)))


def example():
    torch.manual_seed(0)
    return Layer(2, "silu"), (torch.randn(2, 2),)
