"""PPO: the advantages keep the graph of the value network over the epochs."""
import torch
from torch import nn

policy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
value = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-2)
for update in range(3):
    obs, returns = torch.randn(10, 3), torch.randn(10, 1)
    old_log_prob = torch.log_softmax(policy(obs), 1)[:, :1].detach()
    advantages = returns - value(obs)  #-
    #+ advantages = (returns - value(obs)).detach()
    for epoch in range(3):
        ratio = (torch.log_softmax(policy(obs), 1)[:, :1] - old_log_prob).exp()
        clipped = ratio.clamp(0.8, 1.2)
        policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        value_loss = (value(obs) - returns).pow(2).mean()
        loss = policy_loss + 0.5 * value_loss
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
