"""The discriminator gets a detached sample, and is called again after its step."""

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
    d_loss = D(fake.detach()).mean() - D(torch.randn(4, 2)).mean()
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = -D(fake).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
