"""Advantage actor-critic: the actor's advantage isn't detached, and the critic steps first."""
import torch
from torch import nn

actor = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-2)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-2)
for episode in range(4):
    obs = torch.randn(6, 3)
    returns = torch.randn(6, 1)
    advantage = returns - critic(obs)
    log_prob = torch.log_softmax(actor(obs), 1)[:, :1]
    critic_loss = advantage.pow(2).mean()
    actor_loss = -(log_prob * advantage).mean()  #-
    #+ actor_loss = -(log_prob * advantage.detach()).mean()
    critic_opt.zero_grad()
    critic_loss.backward(retain_graph=True)
    critic_opt.step()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
