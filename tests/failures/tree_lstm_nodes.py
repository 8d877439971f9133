"""A recursive network over a tree: the parents' states are computed from rows of one state tensor.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class TreeNet(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.leaf = nn.Linear(dim, dim)
        self.compose = nn.Bilinear(dim, dim, dim)

    def forward(self, words, merges):
        n = len(words)
        h = torch.zeros(n + len(merges), words.size(-1))
        h[:n] = self.leaf(words)
        for k, (left, right) in enumerate(merges):
            h[n + k] = torch.tanh(self.compose(h[left], h[right]))
        return h[-1]


def example():
    torch.manual_seed(0)
    return TreeNet(2), (torch.randn(3, 2), [(0, 1), (3, 2)])
