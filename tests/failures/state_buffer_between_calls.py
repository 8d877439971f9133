"""A running trace is kept on the module between calls; every call decays it and adds the new activation.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class TraceLayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.decay = nn.Parameter(torch.tensor(0.7))
        self.trace = None

    def reset(self):
        self.trace = None

    def step(self, x):
        if self.trace is None:
            self.trace = torch.zeros_like(x)
        self.trace *= self.decay
        self.trace += torch.tanh(self.fc(x))
        return self.trace.pow(2).sum()

    def forward(self, xs):
        self.reset()
        total = 0.0
        for x in xs:
            total = total + self.step(x)
        return total


def example():
    torch.manual_seed(0)
    return TraceLayer(2), (torch.randn(3, 2),)
