"""A recurrent agent keeps its hidden state in an attribute."""
import torch
from torch import nn


class Agent:
    def __init__(self):
        self.rnn = nn.GRUCell(4, 6)
        self.out = nn.Linear(6, 2)
        self.optimizer = torch.optim.Adam([*self.rnn.parameters(), *self.out.parameters()], lr=1e-2)
        self.hidden = torch.zeros(3, 6)

    def act(self, obs):
        self.hidden = self.rnn(obs, self.hidden)
        return self.out(self.hidden)

    def learn(self, obs, target):
        #+ self.hidden = self.hidden.detach()
        loss = (self.act(obs) - target).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward(retain_graph=True)
        self.optimizer.step()
        return loss.item()


agent = Agent()
for _ in range(4):
    agent.learn(torch.randn(3, 4), torch.randn(3, 2))
