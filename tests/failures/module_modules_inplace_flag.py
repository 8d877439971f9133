"""All activations are switched to in-place by a loop over `modules()`.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.relu = nn.ReLU()

    def forward(self, x):
        h = torch.tanh(self.fc(x))
        return self.relu(h)


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.blocks = nn.Sequential(Block(dim), Block(dim))
        for m in self.modules():
            if isinstance(m, nn.ReLU):
                m.inplace = True

    def forward(self, x):
        return self.blocks(x)


def example():
    torch.manual_seed(0)
    return Net(3), (torch.randn(2, 3),)
