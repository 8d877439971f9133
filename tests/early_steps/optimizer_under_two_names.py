"""The optimizer of the critic is made under one name, and kept under another."""

import torch
import torch.nn as nn
from torch import optim


class Agent:
    def __init__(self):
        self.actor = nn.Linear(3, 2)
        self.critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
        critic_optimizer = optim.Adam(self.critic.parameters())
        self.critic_optimizer = critic_optimizer
        self.actor_optimizer = optim.Adam(self.actor.parameters())

    def learn(self, x):
        value = self.critic(self.actor(x))
        self.critic_optimizer.zero_grad()
        value.pow(2).mean().backward(retain_graph=True)
        self.critic_optimizer.step()
        self.actor_optimizer.zero_grad()
        (-value).mean().backward()
        self.actor_optimizer.step()


agent = Agent()
agent.learn(torch.randn(4, 3))
