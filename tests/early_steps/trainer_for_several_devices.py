"""A model that keeps its networks and optimizers is wrapped for several devices, and stepped by its inner module."""

import torch
from torch import nn


class Trainer(nn.Module):
    def __init__(self):
        super().__init__()
        self.gen = nn.Linear(4, 4)
        self.disc = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        self.gen_opt = torch.optim.Adam(self.gen.parameters())
        self.disc_opt = torch.optim.Adam(self.disc.parameters())

    def forward(self, x):
        fake = self.gen(x)
        score = self.disc(fake.detach()).mean()
        return score, -self.disc(fake).mean()


def main(parallel=False):
    trainer = Trainer()
    if parallel:
        trainer = nn.DataParallel(trainer)
        inner = trainer.module
    else:
        inner = trainer
    for _ in range(2):
        loss_d, loss_g = trainer(torch.rand(2, 4))
        inner.disc_opt.zero_grad()
        loss_d.backward()
        inner.disc_opt.step()
        inner.gen_opt.zero_grad()
        loss_g.backward()
        inner.gen_opt.step()


main()
