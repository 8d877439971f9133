"""The generator steps before the discriminator's loss goes through its sample."""

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
g_opt = optim.Adam(G.parameters())
d_opt = optim.Adam(D.parameters())
for _ in range(2):
    fake = G(torch.randn(4, 2))
    g_loss = -D(fake).mean()
    g_opt.zero_grad()
    g_loss.backward(retain_graph=True)
    g_opt.step()
    d_loss = D(fake).mean() - D(torch.randn(4, 2)).mean()
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
