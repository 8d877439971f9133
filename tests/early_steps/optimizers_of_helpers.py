"""Functions make the optimizers, one of them by its name."""

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


def adam(net, lr=1e-3):
    return optim.Adam(net.parameters(), lr=lr)


def make_optimizer(name, params, lr):
    return getattr(optim, name)(params, lr=lr)


def main():
    G, D = Net(2, 2), Net(2, 1)
    opt_G = adam(G)
    opt_D = make_optimizer("SGD", D.parameters(), 0.1)
    for _ in range(2):
        score = D(G(torch.randn(4, 2)))
        opt_D.zero_grad()
        score.mean().backward(retain_graph=True)
        opt_D.step()
        opt_G.zero_grad()
        (-score).mean().backward()
        opt_G.step()


main()
