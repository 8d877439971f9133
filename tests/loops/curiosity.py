"""Intrinsic curiosity: the forward model's error is the policy's reward and isn't detached."""
import torch
from torch import nn

fwd = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
pi = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
fwd_optimizer = torch.optim.Adam(fwd.parameters(), lr=1e-2)
pi_optimizer = torch.optim.Adam(pi.parameters(), lr=1e-2)
for _ in range(4):
    s, s2 = torch.randn(6, 3), torch.randn(6, 3)
    logp = pi(s).log_softmax(1)
    a = torch.multinomial(logp.exp(), 1).flatten()
    onehot = torch.nn.functional.one_hot(a, 2).float()
    error = (fwd(torch.cat([s, onehot], 1)) - s2).pow(2).mean(1)
    fwd_optimizer.zero_grad()
    error.mean().backward(retain_graph=True)
    fwd_optimizer.step()
    reward = error  #-
    #+ reward = error.detach()
    pi_loss = -(reward * logp[torch.arange(6), a]).mean()
    pi_optimizer.zero_grad()
    pi_loss.backward()
    pi_optimizer.step()
