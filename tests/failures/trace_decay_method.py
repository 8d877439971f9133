"""A synaptic trace on self; a method decays whatever tensor it is given.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class HebbianLayer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = nn.Parameter(torch.randn(n, n) * 0.3)
        self.alpha = nn.Parameter(torch.randn(n, n) * 0.3)
        self.eta = nn.Parameter(torch.tensor(0.1))
        self.n = n

    def _decay(self, trace, pre, post):
        trace *= 1 - self.eta
        trace += self.eta * torch.outer(pre, post)

    def forward(self, xs):
        self.trace = torch.zeros(self.n, self.n)
        y = torch.zeros(self.n)
        for x in xs:
            y = torch.tanh(x + y @ (self.w + self.alpha * self.trace))
            self._decay(self.trace, x, y)
        return y


def example():
    torch.manual_seed(0)
    return HebbianLayer(2), (torch.randn(3, 2),)
