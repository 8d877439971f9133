"""A unicycle robot whose state is a dataclass of tensors.

Torch: modified by an inplace operation
"""
from dataclasses import dataclass

import torch


@dataclass
class RobotState:
    xy: torch.Tensor
    heading: torch.Tensor


def integrate(controls, start, dt=0.2):
    s = RobotState(xy=start.clone(), heading=torch.zeros(start.shape[0]))
    for v, w in controls:
        s.heading += w * dt
        s.xy += torch.stack([v * torch.cos(s.heading), v * torch.sin(s.heading)], dim=-1) * dt
    return s.xy


def example():
    torch.manual_seed(0)
    controls = [(torch.rand(2, requires_grad=True), torch.rand(2, requires_grad=True)) for _ in range(3)]
    return integrate, (controls, torch.zeros(2, 2))
