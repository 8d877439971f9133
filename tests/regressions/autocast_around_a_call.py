"""A caller runs the module under autocast, which lowers what its layer returns, and nothing else."""

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        y = self.lin(x)
        y += x
        return y


def f(x):
    torch.manual_seed(0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return Net()(x)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
