"""Lotka-Volterra for a batch of populations; the vector field is decorated with vmap.

Torch: vmap: inplace arithmetic
"""
import torch


@torch.vmap
def field(z):
    dz = torch.empty(2)
    dz[0] = 1.1 * z[0] - 0.4 * z[0] * z[1]
    dz[1] = 0.1 * z[0] * z[1] - 0.4 * z[1]
    return dz


def integrate(z, dt=0.1):
    for _ in range(3):
        z = z + dt * field(z)
    return z


def example():
    return integrate, (torch.tensor([[1.0, 0.5], [0.7, 0.9]], requires_grad=True),)
