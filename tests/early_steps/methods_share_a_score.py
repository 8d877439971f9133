"""A method scores, others run backward and step: the discriminator steps before the generator's loss."""

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


class Gan:
    def __init__(self):
        self.netG, self.netD = Net(2, 2), Net(4, 1)
        self.optimizer_G = optim.Adam(self.netG.parameters())
        self.optimizer_D = optim.Adam(self.netD.parameters())

    def forward(self):
        self.fake = self.netG(self.real)
        self.score = self.netD(torch.cat((self.real, self.fake), 1))

    def backward_D(self):
        self.loss_D = self.score.mean() - self.netD(torch.cat((self.real, self.real), 1)).mean()
        self.loss_D.backward(retain_graph=True)

    def backward_G(self):
        self.loss_G = -self.score.mean()
        self.loss_G.backward()

    def optimize_parameters(self, real):
        self.real = real
        self.forward()
        self.optimizer_D.zero_grad()
        self.backward_D()
        self.optimizer_D.step()
        self.optimizer_G.zero_grad()
        self.backward_G()
        self.optimizer_G.step()


gan = Gan()
for _ in range(2):
    gan.optimize_parameters(torch.randn(4, 2))
