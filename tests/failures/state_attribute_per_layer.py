"""Hidden states of all layers live in a list on the module and get their input added step by step.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class DeepRNN(nn.Module):
    def __init__(self, dim, n_layers):
        super().__init__()
        self.n_layers = n_layers
        self.dim = dim
        self.i2h = nn.ModuleList([nn.Linear(dim, dim) for _ in range(n_layers)])
        self.h2h = nn.ModuleList([nn.Linear(dim, dim) for _ in range(n_layers)])

    def forward(self, seq):
        self.h = [torch.zeros(seq.size(0), self.dim) for _ in range(self.n_layers)]
        for t in range(seq.size(1)):
            inp = seq[:, t]
            for layer in range(self.n_layers):
                cand = torch.tanh(self.i2h[layer](inp) + self.h2h[layer](self.h[layer]))
                self.h[layer] *= 0.5
                self.h[layer] += 0.5 * cand
                inp = self.h[layer]
        return inp


def example():
    torch.manual_seed(0)
    return DeepRNN(2, 2), (torch.randn(2, 3, 2),)
