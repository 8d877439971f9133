"""A while loop makes the features anew behind the step."""

import torch
import torch.nn as nn


def train(net, head, env_step, steps=4):
    optim = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
    i = 0
    state = net(env_step())
    while i < steps:
        loss = head(state).sum()
        optim.zero_grad()
        loss.backward()
        optim.step()
        state = net(env_step())
        i += 1


train(nn.Sequential(nn.Linear(3, 4), nn.ReLU()), nn.Linear(4, 1), lambda: torch.randn(3))
