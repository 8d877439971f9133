"""A module keeps a moving average with its graph, but computes nothing from it that is differentiated."""

import torch
import torch.nn as nn
from torch import optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 2)
        self.b = nn.Linear(2, 1)
        self.average = torch.zeros(2)

    def forward(self, x):
        h = torch.tanh(self.a(x))
        self.average = 0.9 * self.average + 0.1 * h.mean(0)
        return self.b(h)


net = Net()
opt = optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(4, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
