"""Euler integration of a pendulum with a learned length; the state tensor is updated column by column.

Torch: modified by an inplace operation
"""
import torch


def simulate(theta0, length, n_steps=5, dt=0.05, g=9.81):
    state = torch.stack([theta0, torch.zeros_like(theta0)], dim=1)
    for _ in range(n_steps):
        state[:, 0] += dt * state[:, 1]
        state[:, 1] -= dt * g / length * torch.sin(state[:, 0])
    return state


def example():
    torch.manual_seed(0)
    theta0 = torch.rand(3, requires_grad=True)
    length = torch.tensor(1.3, requires_grad=True)
    return simulate, (theta0, length)
