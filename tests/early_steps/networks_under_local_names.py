"""A method gives networks and their optimizer names of its own, and steps between two backwards of one score."""

import torch
from torch import nn


class Gan:
    def __init__(self):
        self.G = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.D = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        self.opt_d = torch.optim.Adam(self.D.parameters())
        self.opt_g = torch.optim.Adam(self.G.parameters())

    def train(self, x):
        G = self.G
        D = self.D
        opt_d = self.opt_d
        fake = G(x)
        score = D(fake)
        loss_d = D(x).mean() - score.mean()
        opt_d.zero_grad()
        loss_d.backward(retain_graph=True)
        opt_d.step()
        loss_g = -score.mean()
        loss_g.backward()


Gan().train(torch.randn(3, 4))
