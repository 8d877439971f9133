"""A Kalman filter stores the mean and the variance of each step.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class ScalarKalman(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_q = nn.Parameter(torch.tensor(-1.0))
        self.log_r = nn.Parameter(torch.tensor(0.5))
        self.decay = nn.Parameter(torch.tensor(0.9))

    def forward(self, zs):
        n = zs.shape[0]
        mean = torch.zeros(n)
        var = torch.ones(n)
        q, r = self.log_q.exp(), self.log_r.exp()
        for k in range(1, n):
            prior = self.decay ** 2 * var[k - 1] + q
            gain = prior / (prior + r)
            mean[k] = self.decay * mean[k - 1] + gain * (zs[k] - mean[k - 1])
            var[k] = (1 - gain) * prior
        return mean, var


def example():
    torch.manual_seed(0)
    return ScalarKalman(), (torch.randn(4),)
