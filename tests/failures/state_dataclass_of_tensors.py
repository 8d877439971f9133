"""A dataclass holds positions and velocities; the integrator writes both.

Torch: modified by an inplace operation
"""
from dataclasses import dataclass

import torch


@dataclass
class State:
    pos: torch.Tensor
    vel: torch.Tensor


def step(state, k, dt):
    force = -k * state.pos ** 3
    state.vel += dt * force
    state.pos += dt * state.vel
    return state


def simulate(pos, vel, k):
    state = State(pos.clone(), vel.clone())
    energy = 0
    for _ in range(3):
        state = step(state, k, 0.1)
        energy = energy + (state.vel ** 2).sum()
    return state.pos.sum() + energy


def example():
    torch.manual_seed(0)
    return simulate, (torch.randn(2, requires_grad=True), torch.randn(2), torch.tensor(1.5, requires_grad=True))
