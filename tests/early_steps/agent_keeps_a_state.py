"""An agent keeps the state of its network in an attribute; its method is called in a loop."""

import torch
import torch.nn as nn
from torch import optim


class Agent:
    def __init__(self):
        self.net = nn.GRU(3, 8)
        self.head = nn.Linear(8, 1)
        parameters = [*self.net.parameters(), *self.head.parameters()]
        self.optimizer = optim.Adam(parameters)
        self.state = None

    def update(self, x):
        out, self.state = self.net(x, self.state)
        loss = self.head(out).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward(retain_graph=True)
        self.optimizer.step()


agent = Agent()
for _ in range(3):
    agent.update(torch.randn(5, 2, 3))
