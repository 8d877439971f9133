"""The input of the single layer has a graph."""

import torch
import torch.nn as nn
from torch import optim


class Net(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.a = nn.Linear(i, 8)
        self.b = nn.Linear(8, o)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


class One(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.a = nn.Linear(i, o)

    def forward(self, x):
        return self.a(x)


enc = Net(3, 3)
net = One(3, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
y = net(enc(torch.randn(4, 3)))
opt.zero_grad()
y.sum().backward(retain_graph=True)
opt.step()
y.pow(2).sum().backward()
