"""Accepted proposals overwrite the chain's state under a mask.

Torch: modified by an inplace operation
"""
import torch


def chain(x0, log_scale, n_steps=3):
    x = x0.clone()
    energy = (x ** 2).sum(-1)
    total = energy
    for _ in range(n_steps):
        prop = x + log_scale.exp() * torch.randn(x.shape)
        e_new = (prop ** 4).sum(-1)
        accept = e_new < energy + 1.0
        x[accept] = prop[accept]
        energy = torch.where(accept, e_new, energy)
        total = total + energy
    return x, total


def example():
    torch.manual_seed(0)
    return chain, (torch.randn(4, 2, requires_grad=True), torch.tensor(-0.5, requires_grad=True))
