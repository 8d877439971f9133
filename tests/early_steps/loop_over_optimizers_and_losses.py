"""A loop takes the step of each optimizer behind the backward of its loss: the second loss needs the old weights."""

import torch
import torch.nn as nn
import torch.nn.functional as F

gen, critic = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt_gen = torch.optim.SGD(gen.parameters(), 0.1)
opt_critic = torch.optim.SGD(critic.parameters(), 0.1)
for it in range(2):
    score = critic(gen(torch.randn(4, 2)))
    losses = F.softplus(score).mean(), F.softplus(-score).mean()
    for i, (opt, loss) in enumerate(zip((opt_critic, opt_gen), losses)):
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()
