"""Optimizers in a list are updated in a comprehension, through a helper."""

import torch
import torch.nn as nn


class Agent:
    def __init__(self):
        self.policy = nn.Linear(3, 2)
        self.policy_opt = torch.optim.SGD(self.policy.parameters(), lr=0.1)
        self.critics = nn.ModuleList([nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 1)) for _ in range(2)])
        self.critic_opts = [torch.optim.SGD(c.parameters(), lr=0.1) for c in self.critics]

    def perform(self, loss, opt):
        opt.zero_grad()
        loss.backward()
        opt.step()

    def update(self, obs, action):
        policy_loss = -sum(c(torch.cat([obs, self.policy(obs)], 1)).mean() for c in self.critics)
        losses = [c(torch.cat([obs, action], 1)).pow(2).mean() for c in self.critics]
        [self.perform(loss, opt) for loss, opt in zip(losses, self.critic_opts)]
        self.perform(policy_loss, self.policy_opt)


Agent().update(torch.randn(4, 3), torch.randn(4, 2))
