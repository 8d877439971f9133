"""Gradients are accumulated over rounds, each with a forward of its own."""

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


net = Net(3, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    loss = net(torch.randn(4, 3)).mean() / 2
    loss.backward()
    if (i + 1) % 2 == 0:
        opt.step()
        opt.zero_grad()
