"""The state hides behind a property of the agent.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Agent(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.core = nn.Linear(2 * d, d)
        self.d = d
        self._memory = None

    @property
    def memory(self):
        return self._memory

    def reset(self):
        self._memory = torch.zeros(self.d)

    def act(self, obs):
        new = torch.tanh(self.core(torch.cat([obs, self.memory])))
        self.memory.mul_(0.8)
        self.memory.add_(new)
        return self.memory.norm()

    def forward(self, episode):
        self.reset()
        return torch.stack([self.act(o) for o in episode])


def example():
    torch.manual_seed(0)
    return Agent(2), (torch.randn(3, 2),)
