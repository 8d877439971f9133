"""A gradient scaler has the optimizer step."""

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
other = Net(1, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
opt2 = optim.SGD(other.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", enabled=False)
y = net(torch.randn(4, 3))
scaler.scale(y.mean()).backward(retain_graph=True)
scaler.step(opt)
z = other(y)
opt2.zero_grad()
opt.zero_grad()
scaler.scale(z.mean()).backward()
scaler.step(opt2)
