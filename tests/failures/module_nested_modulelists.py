"""Fusion layers in lists of lists, some of them Identity, are added up in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Branch(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return self.fc(x).sigmoid()


class HRNet(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        self.n = n
        self.fuse = self._make_fuse(dim)

    def _make_fuse(self, dim):
        fuse = []
        for i in range(self.n):
            row = []
            for j in range(self.n):
                if i == j:
                    row.append(nn.Identity())
                else:
                    row.append(Branch(dim))
            fuse.append(nn.ModuleList(row))
        return nn.ModuleList(fuse)

    def forward(self, x):
        outs = []
        for i in range(self.n):
            y = self.fuse[i][0](x[0]) if i != 0 else x[0] * 1
            for j in range(1, self.n):
                y += self.fuse[i][j](x[j])
            outs.append(y)
        return outs


def example():
    torch.manual_seed(0)
    return HRNet(2, 2), ([torch.randn(1, 2), torch.randn(1, 2)],)
