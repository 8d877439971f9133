"""The hidden states of the layers live in a list on self.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class DeepESN(nn.Module):
    def __init__(self, dim, layers, leak=0.3):
        super().__init__()
        self.inp = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.rec = nn.ModuleList(nn.Linear(dim, dim, bias=False) for _ in range(layers))
        self.leak = leak
        self.dim = dim
        self.hidden = []

    def reset_hidden(self):
        self.hidden = [torch.zeros(self.dim) for _ in self.inp]

    def step(self, x):
        for layer in range(len(self.inp)):
            new = torch.tanh(self.inp[layer](x) + self.rec[layer](self.hidden[layer]))
            self.hidden[layer].mul_(1 - self.leak)
            self.hidden[layer].add_(self.leak * new)
            x = self.hidden[layer]
        return x

    def forward(self, xs):
        self.reset_hidden()
        for x in xs:
            y = self.step(x)
        return y


def example():
    torch.manual_seed(0)
    return DeepESN(2, 2), (torch.randn(3, 2),)
