"""The two outputs of one call are made by two submodules, each with an optimizer of its own."""

import torch
import torch.nn as nn


class Twin(nn.Module):
    def __init__(self):
        super().__init__()
        self.Q1 = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
        self.Q2 = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))

    def forward(self, x):
        return self.Q1(x), self.Q2(x)


def train(critic, x, y):
    o1 = torch.optim.SGD(critic.Q1.parameters(), lr=0.1)
    o2 = torch.optim.SGD(critic.Q2.parameters(), lr=0.1)
    q1, q2 = critic(x)
    l1, l2 = (q1 - y).pow(2).mean(), (q2 - y).pow(2).mean()
    o1.zero_grad()
    l1.backward()
    o1.step()
    o2.zero_grad()
    l2.backward()
    o2.step()


train(Twin(), torch.randn(5, 3), torch.randn(5, 1))
