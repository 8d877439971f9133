"""Langevin sampling moves a leaf along a score and adds noise.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class ScoreModel(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 4), nn.Softplus(), nn.Linear(4, d))

    def sample(self, start, steps=3, eps=0.1):
        x = start.clone().detach().requires_grad_(True)
        for k in range(steps):
            score = self.net(x).detach()
            x += eps * score
            x += 0.01 * torch.randn_like(x)
        return x.detach()

    def forward(self, data):
        neg = self.sample(data)
        return self.net(data).mean() - self.net(neg).mean()


def example():
    torch.manual_seed(0)
    return ScoreModel(2), (torch.randn(3, 2),)
