"""Two losses of one score are kept in a dictionary; the first is stepped for before the second's backward."""

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
    score = D(G(torch.randn(4, 2)))
    losses["d"] = score.mean() - D(torch.randn(4, 2)).mean()
    losses["g"] = -score.mean()
    opt_D.zero_grad()
    losses["d"].backward(retain_graph=True)
    opt_D.step()
    opt_G.zero_grad()
    losses["g"].backward()
    opt_G.step()
