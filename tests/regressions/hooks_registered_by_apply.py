"""apply() registers hooks that keep what layers return."""

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.act = nn.LeakyReLU(0.1, inplace=True)

    def forward(self, x):
        return self.act(self.lin(x))


def f(x):
    torch.manual_seed(0)
    kept = []

    def attach(m):
        m.register_forward_hook(lambda m, i, o: kept.append(o))

    net = Net()
    net.apply(attach)
    net(x)
    return kept


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
