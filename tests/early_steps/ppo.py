"""The advantage is detached."""

import torch
import torch.nn as nn
from torch import optim
from torch.nn import functional


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 8), nn.Tanh(), nn.Linear(8, o))


class PPO:
    def __init__(self):
        self.policy = mlp(3, 2)
        self.value = mlp(3, 1)
        self.opt = optim.Adam(list(self.policy.parameters()) + list(self.value.parameters()))

    def update(self, states, returns):
        advantage = (returns - self.value(states)).detach()
        for _ in range(3):
            logp = self.policy(states).log_softmax(-1)[:, :1]
            loss = -(logp * advantage).mean() + functional.mse_loss(self.value(states), returns)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


PPO().update(torch.randn(4, 3), torch.randn(4, 1))
