"""An ordinary training loop with a scheduler."""

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
sched = optim.lr_scheduler.StepLR(opt, 1)
crit = nn.MSELoss()
total = 0.0
for _epoch in range(2):
    for _ in range(2):
        opt.zero_grad()
        loss = crit(net(torch.randn(4, 3)), torch.randn(4, 1))
        loss.backward()
        opt.step()
        total += loss.item()
    sched.step()
