"""Trajectories of a learned vector field, one initial state each.

Torch: vmap: inplace arithmetic
"""
import torch
import torch.nn as nn


class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)

    def rollout(self, x0):
        traj = torch.zeros(4, 2)
        traj[0] = x0
        for t in range(3):
            traj[t + 1] = traj[t] + 0.1 * torch.tanh(self.net(traj[t]))
        return traj

    def forward(self, x):
        return torch.vmap(self.rollout)(x)


def example():
    torch.manual_seed(0)
    return Flow(), (torch.randn(3, 2, requires_grad=True),)
