"""A checkpoint saves what it passes on and nothing else; what its function takes of that is a view of it."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, mask=None):
        h = torch.tanh(self.fc(x))
        h += x
        return h


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(2)])
        self.head = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
        self.recompute = True

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, None, use_reentrant=False) if self.recompute else block(x)
        x += 1
        y = checkpoint_sequential(self.head, 1, x, use_reentrant=False)
        y *= x
        k = y * 2
        z = checkpoint(lambda t: t * k, y, use_reentrant=False)
        k += 1
        first = checkpoint(lambda t: t[0], y, use_reentrant=False)
        first -= 1
        return z.sum() + k.sum() + y.sum()


def example():
    torch.manual_seed(0)
    return Net().double(), (torch.tensor([[0.3, -0.8, 0.2], [1.2, 0.5, -0.1]], dtype=torch.float64),)
