"""nn.ReLU(True) in a block whose gate has saved the pre-activation.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class GLUBlock(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.act = nn.ReLU(True)
        self.beta = nn.Parameter(torch.tensor(1.3))

    def forward(self, x):
        h = self.fc(x)
        gate = torch.sigmoid(self.beta * h)
        h = self.act(h)
        return h * gate


def example():
    torch.manual_seed(0)
    return GLUBlock(3), (torch.randn(2, 3),)
