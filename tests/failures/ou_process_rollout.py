"""A reparameterised Ornstein-Uhlenbeck rollout into a path tensor, with a guard on its sign.

Torch: modified by an inplace operation
"""
import torch


def simulate_paths(theta, mu, sigma, n_paths=2, n_steps=4, dt=0.1):
    noise = torch.randn(n_paths, n_steps)
    paths = torch.empty(n_paths, n_steps + 1)
    paths[:, 0] = mu
    for i in range(n_steps):
        x = paths[:, i]
        paths[:, i + 1] = x + theta * (mu - x) * dt + sigma * x.abs().sqrt() * noise[:, i] * dt ** 0.5
    payoff = paths[:, -1] - 0.9
    payoff[payoff < 0] = 0
    return payoff.mean(), paths


def example():
    return simulate_paths, tuple(torch.tensor(v, requires_grad=True) for v in (0.7, 1.0, 0.3))
