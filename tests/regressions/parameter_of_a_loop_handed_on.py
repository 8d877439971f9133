"""A helper writes the parameter that a loop left in a name: nobody reads the name later, but the module holds it."""

import torch
from torch import nn


def _shift(t: torch.Tensor):
    t += 1


def _shift_gradient(t: torch.Tensor):
    t += 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        with torch.no_grad():
            for p in self.parameters():
                pass
            _shift(p)
        return self.linear(x)


def run(x, net):
    (net(x).sum() * 2).backward()
    _shift_gradient(net.linear.weight.grad)
    return x * 1


def example():
    torch.manual_seed(0)
    return run, (torch.tensor([[0.5, 0.25]], requires_grad=True), Net())
