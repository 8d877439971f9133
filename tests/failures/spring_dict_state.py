"""A mass on a nonlinear spring, with the state in a dict that is updated in place.

Torch: modified by an inplace operation
"""
import torch


def step(state, k, dt):
    force = -k * state["pos"] ** 3
    state["vel"] += dt * force
    state["pos"] += dt * state["vel"]


def rollout(x0, v0, k, steps=4, dt=0.1):
    state = {"pos": x0.clone(), "vel": v0.clone()}
    for _ in range(steps):
        step(state, k, dt)
    return state["pos"], state["vel"]


def example():
    torch.manual_seed(0)
    return rollout, (torch.rand(2, requires_grad=True), torch.rand(2, requires_grad=True), torch.tensor(2.0, requires_grad=True))
