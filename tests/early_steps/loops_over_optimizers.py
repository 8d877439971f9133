"""Loops over the optimizers clear the gradients and take the steps, with one backward in between."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Trainer:
    def __init__(self):
        self.gen = nn.Linear(2, 3)
        self.critic = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        self.opt_gen = torch.optim.SGD(self.gen.parameters(), 0.1)
        self.opt_critic = torch.optim.SGD(self.critic.parameters(), 0.1)
        self.optimizers = [self.opt_gen, self.opt_critic]

    def train(self, x):
        score = self.critic(self.gen(x))
        loss = F.softplus(score).mean()
        for opt in self.optimizers:
            opt.zero_grad()
        loss.backward()
        for opt in self.optimizers:
            opt.step()


trainer = Trainer()
for _ in range(3):
    trainer.train(torch.randn(4, 2))
