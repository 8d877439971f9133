"""Two agents share an encoder, and each updates it with its own optimizer."""
import torch
from torch import nn


class Agent:
    def __init__(self, encoder):
        self.head = nn.Linear(6, 1)
        self.optimizer = torch.optim.Adam([*encoder.parameters(), *self.head.parameters()], lr=1e-2)

    def update(self, h, y):
        loss = (self.head(h) - y).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward(retain_graph=True)
        self.optimizer.step()


encoder = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 6))
agents = [Agent(encoder), Agent(encoder)]
for _ in range(3):
    h = encoder(torch.randn(5, 3))  #-
    for agent in agents:
        #+ h = encoder(torch.randn(5, 3))
        agent.update(h, torch.randn(5, 1))
