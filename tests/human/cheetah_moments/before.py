import torch
import torch.nn as nn


class ParticleBeam:
    def __init__(self, particles, energy):
        self.particles = particles
        self.energy = energy


class SpaceChargeKick(nn.Module):
    def __init__(self, effect_length):
        super().__init__()
        self.effect_length = nn.Parameter(effect_length)

    def _betaref(self, beam):
        return torch.sqrt(1 - 1 / beam.energy**2)

    def _cheetah_to_moments(self, beam):
        moments = beam.particles
        betaref = self._betaref(beam)
        p0 = beam.energy * betaref
        moments[:, :, 1] = p0[:, None] * moments[:, :, 1]
        moments[:, :, 3] = p0[:, None] * moments[:, :, 3]
        moments[:, :, 4] = -betaref[:, None] * moments[:, :, 4]

    def track(self, incoming):
        outgoing = ParticleBeam(incoming.particles, incoming.energy)
        dt = self.effect_length / self._betaref(incoming)
        # Change coordinates to apply the space charge effect
        self._cheetah_to_moments(outgoing)
        particles = outgoing.particles
        forces = particles[:, :, [0, 2]] - particles[:, :, [0, 2]].mean(dim=1, keepdim=True)
        particles[:, :, 1] += forces[:, :, 0] * dt[:, None]
        particles[:, :, 3] += forces[:, :, 1] * dt[:, None]
        return outgoing


kick = SpaceChargeKick(torch.tensor([0.1, 0.2]))
particles = torch.randn(2, 6, 7, requires_grad=True)
drift = torch.eye(7) + 0.1 * torch.diag(torch.ones(6), 1)
beam = ParticleBeam(particles @ drift, torch.tensor([5.0, 6.0], requires_grad=True))
outgoing = kick.track(beam)
outgoing.particles.var(dim=1).sum().backward()
print(particles.grad.norm(), kick.effect_length.grad.norm(), beam.energy.grad.norm())
