"""Kick and drift as functions on a dataclass of a plasma's particles.

Torch: modified by an inplace operation
"""
from dataclasses import dataclass

import torch


@dataclass
class Particles:
    x: torch.Tensor
    v: torch.Tensor


def kick(p, field, dt):
    p.v += dt * field * torch.sin(p.x)


def drift(p, dt):
    p.x += dt * p.v


def leapfrog(x0, v0, field, steps):
    p = Particles(x0.clone(), v0.clone())
    for _ in range(steps):
        kick(p, field, 0.05)
        drift(p, 0.1)
        kick(p, field, 0.05)
    return p.x, p.v


def example():
    torch.manual_seed(0)
    return leapfrog, (torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True), torch.tensor(1.5, requires_grad=True), 3)
