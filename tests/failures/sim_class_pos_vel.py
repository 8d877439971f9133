"""The same kind of simulation as a class with the state as attributes.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Projectile(nn.Module):
    def __init__(self):
        super().__init__()
        self.drag = nn.Parameter(torch.tensor(0.1))
        self.register_buffer('gravity', torch.tensor([0., -9.81]))

    def reset(self, v0):
        self.pos = torch.zeros(2)
        self.vel = v0.clone()

    def step(self, dt):
        speed = self.vel.norm()
        acc = self.gravity - self.drag * speed * self.vel
        self.pos += self.vel * dt
        self.vel += acc * dt

    def forward(self, v0, n=4):
        self.reset(v0)
        for _ in range(n):
            self.step(0.05)
        return self.pos


def example():
    return Projectile(), (torch.tensor([3.0, 4.0], requires_grad=True),)
