"""A local name for the state on self; the write must be seen through both.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Integrator(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Linear(d, d)

    def forward(self, x0, steps):
        self.x = torch.tanh(x0)
        for _ in range(steps):
            x = self.x
            dx = torch.sigmoid(self.f(x)) * x
            x += 0.1 * dx
        return self.x


def example():
    torch.manual_seed(0)
    return Integrator(2), (torch.randn(2, requires_grad=True), 2)
