"""Activation chosen by a string; the results of a list of such modules are added up.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ConvModule(nn.Module):
    def __init__(self, dim, act="relu"):
        super().__init__()
        self.conv = nn.Linear(dim, dim)
        self.act = nn.ReLU(inplace=True) if act == "relu" else nn.Sigmoid()

    def forward(self, x):
        return self.act(self.conv(x))


class Neck(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lateral = nn.ModuleList()
        for _ in range(2):
            self.lateral.append(ConvModule(dim, act="sigmoid"))

    def forward(self, feats):
        outs = [conv(feats[i]) for i, conv in enumerate(self.lateral)]
        outs[0] += outs[1]
        return outs[0]


def example():
    torch.manual_seed(0)
    return Neck(2), ([torch.randn(1, 2), torch.randn(1, 2)],)
