"""Linearisation of a pendulum's dynamics at many states: the derivative is assembled in a zero tensor.

Torch: vmap: inplace arithmetic
"""
import torch
from torch.func import jacrev, vmap

G, L, DAMPING = 9.81, 1.0, 0.1
REST = torch.zeros(2)


def dynamics(state):
    dxdt = torch.zeros_like(REST)
    dxdt[0] = state[1]
    dxdt[1] = -G / L * torch.sin(state[0]) - DAMPING * state[1]
    return dxdt


def linearise(states):
    A = vmap(jacrev(dynamics))(states)
    return A, vmap(dynamics)(states)


def example():
    torch.manual_seed(0)
    return linearise, (torch.randn(3, 2, requires_grad=True),)
