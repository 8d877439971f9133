"""Node features on a data object, as graph libraries pass them around.

Torch: modified by an inplace operation
"""
from types import SimpleNamespace

import torch
import torch.nn as nn


class GNN(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, d)
        self.out = nn.Linear(d, 1)

    def forward(self, data):
        x, edge_index = data.x, data.edge_index
        h = torch.sigmoid(self.lin(x))
        for s, t in edge_index.t().tolist():
            h[t] += 0.5 * h[s]
        h /= data.deg[:, None]
        return self.out(h)


def example():
    torch.manual_seed(0)
    data = SimpleNamespace(x=torch.randn(3, 2), edge_index=torch.tensor([[0, 1, 2], [1, 2, 0]]), deg=torch.tensor([2., 2., 2.]))
    return GNN(2), (data,)
