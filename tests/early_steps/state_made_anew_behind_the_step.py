"""The features are made anew behind the step."""

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
        self.W = nn.Parameter(torch.randn(4, 2))

    def get_state(self, obs):
        return self.features(obs)

    def get_logits(self, state):
        return state @ self.W


def train(net, env_step, steps=4):
    optim = torch.optim.SGD(net.parameters(), lr=0.1)
    state = net.get_state(env_step())
    for _ in range(steps):
        loss = net.get_logits(state).sum()
        optim.zero_grad()
        loss.backward()
        optim.step()
        state = net.get_state(env_step())


train(Net(), lambda: torch.randn(3))
