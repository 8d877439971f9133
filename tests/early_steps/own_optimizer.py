"""The optimizer is of a class of its own, made with the parameters of the network."""

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


class Sign(optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.sub_(group["lr"] * p.grad.sign())


G, D = Net(2, 2), Net(2, 1)
opt_G, opt_D = Sign(G.parameters()), Sign(D.parameters())
for _ in range(2):
    score = D(G(torch.randn(4, 2)))
    opt_D.zero_grad()
    score.mean().backward(retain_graph=True)
    opt_D.step()
    opt_G.zero_grad()
    (-score).mean().backward()
    opt_G.step()
