"""One head per task in a ModuleDict; the loop over its items shifts each sigmoid.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, dim, out):
        super().__init__()
        self.fc = nn.Linear(dim, out)

    def forward(self, x):
        return self.fc(x).sigmoid()


class MultiHead(nn.Module):
    def __init__(self, dim, tasks):
        super().__init__()
        self.heads = nn.ModuleDict({name: Head(dim, n) for name, n in tasks.items()})

    def forward(self, x):
        out = {}
        for name, head in self.heads.items():
            p = head(x)
            p -= 0.5
            out[name] = p
        return out


def example():
    torch.manual_seed(0)
    return MultiHead(3, {"a": 2, "b": 1}), (torch.randn(2, 3),)
