"""A method that goes on from an attribute, but is called once."""

import torch
import torch.nn as nn
from torch import optim


class Agent:
    def __init__(self):
        self.net = nn.GRU(3, 8)
        self.head = nn.Linear(8, 1)
        parameters = [*self.net.parameters(), *self.head.parameters()]
        self.optimizer = optim.Adam(parameters)
        self.state = torch.zeros(1, 2, 8)

    def update(self, x):
        out, self.state = self.net(x, self.state)
        loss = self.head(out).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


agent = Agent()
agent.update(torch.randn(5, 2, 3))
