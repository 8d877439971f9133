"""Hidden states are appended to a list and then modified in place, so that the list sees the change.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Recorder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.rec = nn.Linear(d, d)

    def forward(self, xs):
        h = torch.zeros(xs.size(-1))
        states = []
        for x in xs:
            h = torch.tanh(self.rec(h) + x)
            states.append(h)
            h *= 0.5
        return torch.stack(states)


def example():
    torch.manual_seed(0)
    return Recorder(2), (torch.randn(3, 2),)
