"""Code turns the flags of all modules around: a call writes in place only from then on."""

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        y = x * 2
        z = self.act(y)
        return y, z


def f(x):
    net = Net()
    a = net(x)
    for m in net.modules():
        if hasattr(m, "inplace"):
            m.inplace = not m.inplace
    b = net(x)
    return a, b


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
