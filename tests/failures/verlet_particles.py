"""Particles in a trap that repel each other: positions and velocities are advanced in place.

Torch: modified by an inplace operation
"""
import torch


def acceleration(pos, strength):
    diff = pos[None, :, :] - pos[:, None, :]
    dist2 = (diff ** 2).sum(-1, keepdim=True) + 0.1
    return -strength * pos - (diff / dist2).sum(dim=1)


def run_simulation(pos0, vel0, strength, steps=3):
    dt = 0.1
    pos, vel = pos0.clone(), vel0.clone()
    for i in range(steps):
        acc = acceleration(pos, strength)
        vel += acc * dt
        pos += vel * dt
        pos.clamp_(-3, 3)
    return pos


def example():
    torch.manual_seed(0)
    return run_simulation, (
        torch.randn(3, 2, requires_grad=True),
        torch.randn(3, 2, requires_grad=True),
        torch.tensor(0.5, requires_grad=True),
    )
