"""Dreamer: the actor's loss goes through the imagined rollout after the world model was updated."""
import torch
from torch import nn

world = nn.Sequential(nn.Linear(6, 12), nn.ELU(), nn.Linear(12, 4))
actor = nn.Sequential(nn.Linear(4, 12), nn.ELU(), nn.Linear(12, 2))
critic = nn.Sequential(nn.Linear(4, 12), nn.ELU(), nn.Linear(12, 1))
world_opt = torch.optim.Adam(world.parameters(), lr=1e-3)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)


def imagine(state, horizon=3):
    states = []
    for _ in range(horizon):
        state = torch.tanh(world(torch.cat([state, actor(state)], -1)))
        states.append(state)
    return torch.stack(states)


for _ in range(3):
    start, action, after = torch.randn(5, 4), torch.randn(5, 2), torch.randn(5, 4)
    model_loss = (world(torch.cat([start, action], -1)) - after).pow(2).mean()
    world_opt.zero_grad()
    model_loss.backward()
    world_opt.step()
    states = imagine(start)
    values = critic(states)
    actor_loss = -values.mean()
    actor_opt.zero_grad()
    actor_loss.backward(retain_graph=True)
    actor_opt.step()
    value_loss = (values - 1.0).pow(2).mean()  #-
    #+ value_loss = (critic(states.detach()) - 1.0).pow(2).mean()
    critic_opt.zero_grad()
    value_loss.backward()
    critic_opt.step()
