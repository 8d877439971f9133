"""A rigid body whose state is a dictionary of tensors; wrenches are put together in a zero vector.

Torch: vmap: inplace arithmetic
"""
import torch
from torch import vmap


def wrench(state):
    pos, force = state["pos"], state["force"]
    out = torch.zeros(6)
    out[:3] = force
    out[3:] = torch.linalg.cross(pos, force)
    return out


def total(pos, force):
    return vmap(wrench)({"pos": pos, "force": force}).sum(0)


def example():
    torch.manual_seed(0)
    return total, (torch.randn(3, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True))
