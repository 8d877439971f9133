"""The losses of several steps are gathered in a list, and summed up after the weights have changed."""

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
losses = []
for _ in range(2):
    loss = net(torch.randn(4, 2)).pow(2).mean()
    losses.append(loss)
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
opt.zero_grad()
sum(losses).backward()
opt.step()
