"""The actor's loss calls the critic again after its step; targets are made under no_grad."""

import torch
import torch.nn as nn
from torch import optim
from torch.nn import functional


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 8), nn.Tanh(), nn.Linear(8, o))


class Agent:
    def __init__(self):
        self.actor = mlp(2, 2)
        self.critic = mlp(4, 1)
        self.target = mlp(4, 1)
        self.actor_optimizer = optim.Adam(self.actor.parameters())
        self.critic_optimizer = optim.Adam(self.critic.parameters())

    def update(self, s, s2):
        with torch.no_grad():
            y = self.target(torch.cat([s2, self.actor(s2)], -1))
        a = self.actor(s)
        q = self.critic(torch.cat([s, a.detach()], -1))
        loss = functional.mse_loss(q, y)
        self.critic_optimizer.zero_grad()
        loss.backward()
        self.critic_optimizer.step()
        actor_loss = -self.critic(torch.cat([s, a], -1)).mean()
        self.actor_optimizer.zero_grad()
        actor_loss.backward()
        self.actor_optimizer.step()


agent = Agent()
for _ in range(2):
    agent.update(torch.randn(4, 2), torch.randn(4, 2))
