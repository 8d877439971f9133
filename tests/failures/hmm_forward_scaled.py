"""The scaled forward algorithm of an HMM in probability space.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class HMM(nn.Module):
    def __init__(self, n_states, n_obs):
        super().__init__()
        self.trans = nn.Parameter(torch.randn(n_states, n_states))
        self.emit = nn.Parameter(torch.randn(n_states, n_obs))
        self.prior = nn.Parameter(torch.zeros(n_states))

    def log_likelihood(self, obs):
        A = self.trans.softmax(-1)
        B = self.emit.softmax(-1)
        T = len(obs)
        alpha = torch.zeros(T, A.size(0))
        scale = torch.zeros(T)
        alpha[0] = self.prior.softmax(0) * B[:, obs[0]]
        scale[0] = alpha[0].sum()
        alpha[0] /= scale[0]
        for t in range(1, T):
            alpha[t] = (alpha[t - 1] @ A) * B[:, obs[t]]
            scale[t] = alpha[t].sum()
            alpha[t] /= scale[t]
        return scale.log().sum()

    def forward(self, obs):
        return -self.log_likelihood(obs)


def example():
    torch.manual_seed(0)
    return HMM(2, 3), ([0, 2, 1, 1],)
