"""Angle and speed of a pendulum are two columns of one trajectory.

Torch: modified by an inplace operation
"""
import torch


def rollout(theta0, length, steps=3, dt=0.1):
    traj = torch.zeros(steps + 1, 2)
    traj[0, 0] = theta0
    for t in range(steps):
        traj[t + 1, 1] = traj[t, 1] - dt * 9.81 / length * torch.sin(traj[t, 0])
        traj[t + 1, 0] = traj[t, 0] + dt * traj[t + 1, 1]
    return traj


def example():
    return rollout, (torch.tensor(0.5, requires_grad=True), torch.tensor(1.2, requires_grad=True))
