"""The world's state is a dataclass with defaults; a physics step changes its fields.

Torch: modified by an inplace operation
"""
from dataclasses import dataclass, field
from typing import Optional

import torch


@dataclass
class World:
    pos: torch.Tensor
    vel: torch.Tensor
    mass: Optional[torch.Tensor] = None
    log: list = field(default_factory=list)

    def energy(self):
        return 0.5 * (self.vel ** 2).sum() + (self.pos ** 2).sum()


def step(world, force, dt=0.1):
    acc = force if world.mass is None else force / world.mass
    world.vel += dt * acc * torch.sin(world.pos)
    world.pos += dt * world.vel
    world.log.append(world.energy())


def simulate(pos, vel, mass, n=3):
    world = World(pos * 1.0, vel * 1.0, mass)
    for _ in range(n):
        step(world, -world.pos)
    return sum(world.log)


def example():
    torch.manual_seed(0)
    return simulate, (torch.randn(2, requires_grad=True), torch.randn(2, requires_grad=True), torch.rand(2) + 1)
