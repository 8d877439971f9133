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
        betaref = self._betaref(beam)
        p0 = beam.energy * betaref

        moments_xp = beam.particles[:, :, 1] * p0.unsqueeze(-1)
        moments_yp = beam.particles[:, :, 3] * p0.unsqueeze(-1)
        moments_s = beam.particles[:, :, 4] * -betaref.unsqueeze(-1)

        moments = beam.particles.clone()
        moments[:, :, 1] = moments_xp
        moments[:, :, 3] = moments_yp
        moments[:, :, 4] = moments_s

        return moments

    def track(self, incoming):
        outgoing = ParticleBeam(incoming.particles, incoming.energy)
        dt = self.effect_length / self._betaref(incoming)
        # Change coordinates to apply the space charge effect
        moments = self._cheetah_to_moments(incoming)
        forces = moments[:, :, [0, 2]] - moments[:, :, [0, 2]].mean(dim=1, keepdim=True)
        moments[:, :, 1] = moments[:, :, 1] + forces[:, :, 0] * dt[:, None]
        moments[:, :, 3] = moments[:, :, 3] + forces[:, :, 1] * dt[:, None]
        outgoing.particles = moments
        return outgoing


kick = SpaceChargeKick(torch.tensor([0.1, 0.2]))
particles = torch.randn(2, 6, 7, requires_grad=True)
drift = torch.eye(7) + 0.1 * torch.diag(torch.ones(6), 1)
beam = ParticleBeam(particles @ drift, torch.tensor([5.0, 6.0], requires_grad=True))
outgoing = kick.track(beam)
outgoing.particles.var(dim=1).sum().backward()
print(particles.grad.norm(), kick.effect_length.grad.norm(), beam.energy.grad.norm())
