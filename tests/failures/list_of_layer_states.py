"""The states of several layers in a list, updated in place through the index.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class LeakyStack(nn.Module):
    def __init__(self, dim, n_layers):
        super().__init__()
        self.fcs = nn.ModuleList([nn.Linear(dim, dim) for _ in range(n_layers)])
        self.rec = nn.ModuleList([nn.Linear(dim, dim, bias=False) for _ in range(n_layers)])

    def forward(self, xs):
        states = [torch.zeros(xs.size(1), xs.size(2)) for _ in self.fcs]
        for x in xs:
            for k, (fc, rec) in enumerate(zip(self.fcs, self.rec)):
                v = torch.tanh(fc(x) + rec(states[k]))
                states[k] *= 0.9
                states[k] += 0.1 * v
                x = states[k]
        return states[-1]


def example():
    torch.manual_seed(0)
    return LeakyStack(2, 2), (torch.randn(3, 1, 2),)
