"""Agents in a list share an embedding, and each has an optimizer for it."""

import torch
import torch.nn as nn


class Agent:
    def __init__(self, embedding):
        self.head = nn.Linear(4, 1)
        self.opt = torch.optim.SGD([*self.head.parameters(), *embedding.parameters()], lr=0.1)

    def learn(self, h):
        loss = self.head(h).pow(2).mean()
        self.opt.zero_grad()
        loss.backward(retain_graph=True)
        self.opt.step()


embedding = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4))
agents = [Agent(embedding) for _ in range(2)]
h = embedding(torch.randn(5, 3))
for agent in agents:
    agent.learn(h)
