"""The state lies in a submodule of a Sequential."""

import torch
import torch.nn as nn


class Leaky(nn.Module):
    def __init__(self):
        super().__init__()
        self.mem = None

    def forward(self, x):
        self.mem = x if self.mem is None else 0.9 * self.mem + x
        return torch.tanh(self.mem)


net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), Leaky(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.randn(3, 5, 3):
    opt.zero_grad()
    net(x).pow(2).mean().backward(retain_graph=True)
    opt.step()
