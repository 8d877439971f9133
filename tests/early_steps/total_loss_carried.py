"""The sum of all losses so far is differentiated in each round."""

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
total = 0
for _ in range(3):
    opt.zero_grad()
    loss = net(torch.randn(4, 3)).pow(2).mean()
    total = total + loss
    total.backward(retain_graph=True)
    opt.step()
