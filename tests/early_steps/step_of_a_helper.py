"""A function zeroes, runs backward and steps, for one optimizer after the other."""

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


def update(opt, loss, retain=False):
    opt.zero_grad()
    loss.backward(retain_graph=retain)
    opt.step()


G, D = Net(2, 2), Net(2, 1)
opt_G, opt_D = optim.Adam(G.parameters()), optim.Adam(D.parameters())
for _ in range(2):
    score = D(G(torch.randn(4, 2)))
    update(opt_D, score.mean(), retain=True)
    update(opt_G, -score.mean())
