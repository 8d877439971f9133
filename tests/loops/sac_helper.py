"""Soft actor-critic with a helper that updates; the critic goes first."""
import torch
from torch import nn


def update_params(optim, loss, retain_graph=False):
    optim.zero_grad()
    loss.backward(retain_graph=retain_graph)
    optim.step()


critic = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
policy = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
critic_optim = torch.optim.Adam(critic.parameters(), lr=1e-3)
policy_optim = torch.optim.Adam(policy.parameters(), lr=1e-3)


def learn(states, actions, targets):
    q_loss = (critic(torch.cat([states, actions], 1)) - targets).pow(2).mean()
    policy_loss = -critic(torch.cat([states, policy(states)], 1)).mean()  #-
    update_params(critic_optim, q_loss)
    #+ policy_loss = -critic(torch.cat([states, policy(states)], 1)).mean()
    update_params(policy_optim, policy_loss)


for _ in range(4):
    learn(torch.randn(6, 3), torch.randn(6, 2), torch.randn(6, 1))
