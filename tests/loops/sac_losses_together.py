"""Soft actor-critic: all losses are computed, then updated one after the other."""
import torch
import torch.nn.functional as F
from torch import nn


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 16), nn.ReLU(), nn.Linear(16, o))


class SAC:
    def __init__(self):
        self.policy = mlp(3, 2)
        self.q1, self.q2 = mlp(5, 1), mlp(5, 1)
        self.q1_optim = torch.optim.Adam(self.q1.parameters(), lr=3e-3)
        self.q2_optim = torch.optim.Adam(self.q2.parameters(), lr=3e-3)
        self.policy_optim = torch.optim.Adam(self.policy.parameters(), lr=3e-3)

    def update(self, state, action, target):
        sa = torch.cat([state, action], 1)
        q1_loss = F.mse_loss(self.q1(sa), target)
        q2_loss = F.mse_loss(self.q2(sa), target)
        pi = torch.tanh(self.policy(state))  #-
        qs = torch.min(self.q1(torch.cat([state, pi], 1)), self.q2(torch.cat([state, pi], 1)))  #-
        policy_loss = (0.2 * pi.pow(2).sum(1, keepdim=True) - qs).mean()  #-
        self.q1_optim.zero_grad()
        q1_loss.backward()
        self.q1_optim.step()
        self.q2_optim.zero_grad()
        q2_loss.backward()
        self.q2_optim.step()
        #+ pi = torch.tanh(self.policy(state))
        #+ qs = torch.min(self.q1(torch.cat([state, pi], 1)), self.q2(torch.cat([state, pi], 1)))
        #+ policy_loss = (0.2 * pi.pow(2).sum(1, keepdim=True) - qs).mean()
        self.policy_optim.zero_grad()
        policy_loss.backward()
        self.policy_optim.step()
        return q1_loss.item(), policy_loss.item()


agent = SAC()
for _ in range(4):
    agent.update(torch.randn(7, 3), torch.randn(7, 2), torch.randn(7, 1))
