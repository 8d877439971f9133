"""The same function is called with losses that have nothing in common."""

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


def update(opt, loss):
    opt.zero_grad()
    loss.backward()
    opt.step()


G, D = Net(2, 2), Net(2, 1)
opt_G, opt_D = optim.Adam(G.parameters()), optim.Adam(D.parameters())
for _ in range(2):
    fake = G(torch.randn(4, 2))
    update(opt_D, D(fake.detach()).mean())
    update(opt_G, -D(fake).mean())
