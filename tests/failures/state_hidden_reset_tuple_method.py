"""An LSTM's states are kept between calls and masked at episode ends, as in A3C code.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.cell = nn.LSTMCell(d, d)
        self.head = nn.Linear(d, 1)
        self.reset(1, d)

    def reset(self, n, d):
        self.hidden = (torch.zeros(n, d), torch.zeros(n, d))

    def act(self, obs, done):
        h, c = self.cell(obs, self.hidden)
        h *= 1 - done
        c *= 1 - done
        self.hidden = (h, c)
        return self.head(h * c)

    def decay(self):
        for state in self.hidden:
            state *= 0.9

    def rollout(self, obs, done):
        value = self.act(obs, done)
        self.decay()
        return value

    def forward(self, observations, dones):
        self.reset(1, observations.size(-1))
        return torch.cat([self.rollout(o, d) for o, d in zip(observations, dones)]).sum()


def example():
    torch.manual_seed(0)
    return Policy(2), (torch.randn(3, 1, 2), torch.tensor([0.0, 1.0, 0.0]))
