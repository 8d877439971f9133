# cause: optimizer-step, fix: none
import torch
from torch import nn

generator, critic = nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
for_generator = torch.optim.Adam(generator.parameters())
for_critic = torch.optim.Adam(critic.parameters())
for _ in range(2):
    verdict = critic(generator(torch.rand(3, 2)))  # victim
    for_critic.zero_grad()
    verdict.mean().backward(retain_graph=True)
    for_critic.step()  # culprit
    for_generator.zero_grad()
    (-verdict).mean().backward()
    for_generator.step()
