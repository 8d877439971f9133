"""Outputs of the layers of a Sequential are collected one by one: the next layer overwrites the one before."""

import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True), nn.Linear(2, 2), nn.ReLU(inplace=True))

    def forward(self, x: torch.Tensor):
        outs = []
        for layer in self.features:
            x = layer(x)
            outs.append(x)
        return outs


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
