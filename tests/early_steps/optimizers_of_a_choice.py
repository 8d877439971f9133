"""Optimizers of two kinds, chosen by an option: whichever it is, it has the weights."""

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


def train(kind, rounds):
    G, D = Net(2, 2), Net(2, 1)
    if kind == "adam":
        opt_G, opt_D = optim.Adam(G.parameters()), optim.Adam(D.parameters())
    else:
        opt_G = optim.SGD(G.parameters(), lr=0.1)
        opt_D = optim.SGD(D.parameters(), lr=0.1)
    for _ in range(rounds):
        score = D(G(torch.randn(4, 2)))
        opt_D.zero_grad()
        score.mean().backward(retain_graph=True)
        opt_D.step()
        opt_G.zero_grad()
        (-score).mean().backward()
        opt_G.step()


train("sgd", 2)
