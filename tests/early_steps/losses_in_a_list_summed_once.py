"""The losses are gathered in a list, and one backward goes through all of them before the step."""

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


net = Net(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    losses = []
    for _ in range(3):
        losses.append(net(torch.randn(4, 2)).pow(2).mean())
    opt.zero_grad()
    sum(losses).backward()
    opt.step()
