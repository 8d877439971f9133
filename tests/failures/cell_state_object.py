"""An agent's belief is an object of its own with an update method.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Belief:
    def __init__(self, n):
        self.logits = torch.zeros(n)

    def update(self, evidence, w):
        self.logits *= w
        self.logits += evidence


class Agent(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.enc = nn.Linear(2, n)
        self.n = n

    def forward(self, observations):
        belief = Belief(self.n)
        value = 0
        for obs in observations:
            ev = self.enc(obs)
            w = torch.sigmoid((ev * belief.logits).sum())
            belief.update(ev, w)
            value = value + belief.logits.logsumexp(0)
        return value


def example():
    torch.manual_seed(0)
    return Agent(3), (torch.randn(3, 2),)
