"""Two networks are averaged through their state dicts with keep_vars.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


def soft_update(target, source, tau):
    src = source.state_dict()
    for k, v in target.state_dict(keep_vars=True).items():
        v.mul_(1 - tau)
        v.add_(src[k] * tau)


class Dqn(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Linear(2, 2)
        self.target = nn.Linear(2, 2)

    def forward(self, s, s2, r):
        soft_update(self.target, self.online, 0.3)
        q = self.online(s)
        best = self.target(s2).max(1).values.detach()
        return ((q.max(1).values - r - 0.9 * best) ** 2).mean()


def example():
    torch.manual_seed(0)
    return Dqn(), (torch.randn(3, 2), torch.randn(3, 2), torch.randn(3))
