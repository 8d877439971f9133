"""The step is in another branch than the backward."""

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


def run(early, x):
    y = net(x)
    if early:
        opt.step()
        return
    y.sum().backward()


opt.zero_grad()
run(False, torch.randn(4, 3))
run(True, torch.randn(4, 3))
