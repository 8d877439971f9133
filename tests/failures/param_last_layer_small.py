"""The last layer of a policy starts small, and its bias at zero.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, obs, act, hidden=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh())
        self.mu = nn.Linear(hidden, act)

    def init(self):
        self.mu.weight.mul_(0.1)
        self.mu.bias.zero_()
        return self

    def forward(self, obs):
        return self.mu(self.net(obs))


def first_actions(policy, obs):
    return policy.init()(obs)


def example():
    torch.manual_seed(0)
    return first_actions, (Policy(2, 1), torch.randn(2, 2, requires_grad=True))
