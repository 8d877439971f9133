"""A module for the loss of a world model returns the states with their graph, from which the actor goes on."""

import torch
import torch.nn as nn


class WorldLoss(nn.Module):
    def __init__(self, world, free_bits=None):
        super().__init__()
        self.world = world
        self.size = sum(p.numel() for p in world.parameters())
        self.free_bits = free_bits

    def forward(self, states):
        after = self.world(states)
        loss = (after - states).pow(2).mean()
        if self.free_bits is None:
            return loss, after
        return loss.clamp(min=self.free_bits), after


def train():
    world = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))
    actor = nn.Linear(3, 3)
    world_loss = WorldLoss(world)
    world_opt = torch.optim.Adam(world.parameters())
    actor_opt = torch.optim.Adam(actor.parameters())
    for _ in range(2):
        states = torch.randn(4, 3)
        loss, states = world_loss(states)
        world_opt.zero_grad()
        loss.backward(retain_graph=True)
        world_opt.step()
        actor_opt.zero_grad()
        actor(states).pow(2).mean().backward()
        actor_opt.step()


train()
