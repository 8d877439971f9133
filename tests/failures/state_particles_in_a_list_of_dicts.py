"""Particles are dicts in a list; every step pushes them apart and moves them.

Torch: modified by an inplace operation
"""
import torch


def simulate(starts, strength, steps=2):
    particles = [{"x": s * 1.0, "v": torch.zeros_like(s)} for s in starts]
    energy = 0
    for _ in range(steps):
        for i, p in enumerate(particles):
            for j, q in enumerate(particles):
                if i != j:
                    d = p["x"] - q["x"]
                    p["v"] += strength * d / (d.pow(2).sum() + 0.1)
        for p in particles:
            p["x"] += 0.1 * p["v"]
            energy = energy + p["x"].pow(3).sum()
    return energy


def example():
    torch.manual_seed(0)
    return simulate, (torch.randn(3, 2, requires_grad=True), torch.tensor(0.5, requires_grad=True))
