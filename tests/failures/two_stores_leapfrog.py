"""A leapfrog integrator fills positions and momenta step by step.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class HNN(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.force = nn.Sequential(nn.Linear(d, 3), nn.Tanh(), nn.Linear(3, d))

    def forward(self, q0, p0, n_steps, dt):
        q = torch.zeros(n_steps + 1, *q0.shape)
        p = torch.zeros(n_steps + 1, *p0.shape)
        q[0] = q0
        p[0] = p0
        for k in range(n_steps):
            half = p[k] + 0.5 * dt * self.force(q[k])
            q[k + 1] = q[k] + dt * half
            p[k + 1] = half + 0.5 * dt * self.force(q[k + 1])
        return q, p


def example():
    torch.manual_seed(0)
    return HNN(2), (torch.randn(1, 2), torch.randn(1, 2), 2, 0.1)
