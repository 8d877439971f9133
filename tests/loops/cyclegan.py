"""CycleGAN in methods: the discriminators score the samples of a generator that has stepped."""
import itertools

import torch
import torch.nn.functional as F
from torch import nn


def net():
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))


class CycleGAN:
    def __init__(self):
        self.G_AB, self.G_BA = net(), net()
        self.D_A, self.D_B = net(), net()
        self.optimizer_G = torch.optim.Adam(itertools.chain(self.G_AB.parameters(), self.G_BA.parameters()), lr=1e-2)
        self.optimizer_D = torch.optim.Adam(itertools.chain(self.D_A.parameters(), self.D_B.parameters()), lr=1e-2)

    def forward(self):
        self.fake_B = self.G_AB(self.real_A)
        self.fake_A = self.G_BA(self.real_B)

    def backward_G(self):
        cycle = F.l1_loss(self.G_BA(self.fake_B), self.real_A) + F.l1_loss(self.G_AB(self.fake_A), self.real_B)
        adv = (self.D_A(self.fake_A) - 1).pow(2).mean() + (self.D_B(self.fake_B) - 1).pow(2).mean()
        (cycle + adv).backward(retain_graph=True)

    def backward_D(self):
        fake_A, fake_B = self.fake_A, self.fake_B  #-
        #+ fake_A, fake_B = self.fake_A.detach(), self.fake_B.detach()
        loss = self.D_A(fake_A).pow(2).mean() + self.D_B(fake_B).pow(2).mean()
        loss = loss + (self.D_A(self.real_A) - 1).pow(2).mean() + (self.D_B(self.real_B) - 1).pow(2).mean()
        loss.backward()

    def optimize_parameters(self, a, b):
        self.real_A, self.real_B = a, b
        self.forward()
        self.optimizer_G.zero_grad()
        self.backward_G()
        self.optimizer_G.step()
        self.optimizer_D.zero_grad()
        self.backward_D()
        self.optimizer_D.step()


model = CycleGAN()
for _ in range(3):
    model.optimize_parameters(torch.randn(4, 3), torch.randn(4, 3))
