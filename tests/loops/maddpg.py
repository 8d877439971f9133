"""MADDPG: every agent's loss goes through the critics of a list, which step in a loop."""
import torch
from torch import nn


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 8), nn.ReLU(), nn.Linear(8, o))


actors = [mlp(3, 1) for _ in range(2)]
critics = [mlp(8, 1) for _ in range(2)]
actor_opts = [torch.optim.Adam(a.parameters(), lr=1e-2) for a in actors]
critic_opts = [torch.optim.Adam(c.parameters(), lr=1e-2) for c in critics]
for _ in range(3):
    obs = torch.randn(2, 5, 3)
    acts = torch.cat([a(o) for a, o in zip(actors, obs)], 1)  #-
    for i in range(2):
        #+ acts = torch.cat([a(o) for a, o in zip(actors, obs)], 1)
        flat = torch.cat([obs[0], obs[1]], 1)
        q = critics[i](torch.cat([flat, acts.detach()], 1))
        critic_opts[i].zero_grad()
        (q - torch.randn(5, 1)).pow(2).mean().backward()
        critic_opts[i].step()
        actor_loss = -critics[i](torch.cat([flat, acts], 1)).mean()
        actor_opts[i].zero_grad()
        actor_loss.backward(retain_graph=True)
        actor_opts[i].step()
