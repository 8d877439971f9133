"""A name bound to what its own method returns, in a file that replaces layers, led the search in a circle."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 3)

    def forward(self, x):
        y = self.head(x)
        y += 1
        return y * y


def run(x: torch.Tensor):
    net = Net()
    net = net.to(x.dtype)
    net.head = head = nn.Identity()
    head = head.eval()
    net.head = head
    return net(x * 1)


def example():
    return run, (torch.tensor([[0.5, -1.0, 2.0]], requires_grad=True),)
