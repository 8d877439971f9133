"""A graph layer resets its own parameters in its first forward.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import math

import torch
import torch.nn as nn


class GraphConvolution(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(n_in, n_out))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def _reset_parameters(self):
        stdv = 1.0 / math.sqrt(self.weight.size(1))
        self.weight.uniform_(-stdv, stdv)
        self.bias.uniform_(-stdv, stdv)

    def forward(self, x, adj, fresh=True):
        if fresh:
            self._reset_parameters()
        return adj @ (x @ self.weight) + self.bias


def example():
    torch.manual_seed(0)
    return GraphConvolution(2, 3), (torch.randn(2, 2), torch.rand(2, 2))
