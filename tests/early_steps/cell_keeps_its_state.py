"""A cell computes its state from the one before, and stores it under its own name; the last one is detached."""

import torch
import torch.nn as nn
from torch import optim


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(5, 2)
        self.b = nn.Linear(2, 2)
        self.h = torch.zeros(4, 2)

    def forward(self, x):
        h = torch.tanh(self.a(torch.cat((x, self.h), 1)))
        self.h = h.detach()
        return self.b(h)


net = Cell()
opt = optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = net(torch.randn(4, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
