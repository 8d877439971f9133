"""A heterogeneous graph layer keeps its features in a dict by node type and adds the messages of each edge type.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class HeteroConv(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lins = nn.ModuleDict({"user": nn.Linear(d, d), "item": nn.Linear(d, d)})

    def forward(self, x_dict, edges):
        out = {ntype: torch.sigmoid(self.lins[ntype](x)) for ntype, x in x_dict.items()}
        for (src, dst), adj in edges.items():
            out[dst] += adj @ out[src]
        return {k: v.relu() for k, v in out.items()}


def example():
    torch.manual_seed(0)
    xs = {"user": torch.randn(3, 2), "item": torch.randn(2, 2)}
    edges = {("user", "item"): torch.rand(2, 3), ("item", "user"): torch.rand(3, 2)}
    return HeteroConv(2), (xs, edges)
