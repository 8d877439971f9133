"""Meta-learning: a learned loss steps before the learner's loss, which goes through it."""
import torch
from torch import nn

learner = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
critic = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
learner_opt = torch.optim.SGD(learner.parameters(), lr=0.05)
critic_opt = torch.optim.SGD(critic.parameters(), lr=0.05)
for _ in range(4):
    x, y = torch.randn(6, 2), torch.randn(6, 1)
    out = learner(x)
    learned = critic(out).pow(2).mean()
    meta = (critic(out.detach()) - y).pow(2).mean()
    critic_opt.zero_grad()  #-
    meta.backward()  #-
    critic_opt.step()  #-
    learner_opt.zero_grad()
    learned.backward()
    learner_opt.step()
    #+ critic_opt.zero_grad()
    #+ meta.backward()
    #+ critic_opt.step()
