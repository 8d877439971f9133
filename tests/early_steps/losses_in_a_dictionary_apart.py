"""The losses in the dictionary have nothing in common: the second has a score of its own, made after the step."""

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


G, D = Net(2, 2), Net(2, 1)
opt_G, opt_D = optim.Adam(G.parameters()), optim.Adam(D.parameters())
for _ in range(2):
    losses = {}
    fake = G(torch.randn(4, 2))
    losses["d"] = D(fake.detach()).mean() - D(torch.randn(4, 2)).mean()
    opt_D.zero_grad()
    losses["d"].backward()
    opt_D.step()
    losses["g"] = -D(fake).mean()
    opt_G.zero_grad()
    losses["g"].backward()
    opt_G.step()
