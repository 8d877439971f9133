"""All levels of a pyramid are scaled in a list comprehension for its side effect.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Pyramid(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(d, d), nn.Linear(d, d)])
        self.temp = nn.Parameter(torch.tensor(0.8))

    def forward(self, x):
        feats = [h(x).softmax(-1) for h in self.heads]
        [f.mul_(self.temp) for f in feats]
        return torch.cat(feats, dim=-1)


def example():
    torch.manual_seed(0)
    return Pyramid(2), (torch.randn(2, 2),)
