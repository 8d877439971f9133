"""Fast weights of all layers decayed with a foreach call.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class FastNet(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.l1, self.l2 = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        fast = [torch.tanh(self.l1.weight), torch.tanh(self.l2.weight)]
        y = x @ fast[0] @ fast[1]
        torch._foreach_mul_(fast, 0.9)
        return y + x @ fast[0] @ fast[1]


def example():
    torch.manual_seed(0)
    return FastNet(2), (torch.randn(2, 2),)
