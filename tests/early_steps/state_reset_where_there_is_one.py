"""Each module that has a method for it makes its state anew after each step."""

import torch
from torch import nn


class Leaky(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.reset()

    def reset(self):
        self.mem = torch.zeros(3, 2)

    def forward(self, x):
        self.mem = 0.9 * self.mem + self.lin(self.mem + x)
        return self.mem


net = nn.Sequential(nn.Linear(2, 2), Leaky())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    net(torch.randn(3, 2)).pow(2).mean().backward()
    opt.step()
    for part in net.modules():
        if hasattr(part, "reset"):
            part.reset()
