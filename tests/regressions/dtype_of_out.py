"""A tensor given as `out=` decides the dtype of the result."""

import torch


def run(a: torch.Tensor, b: torch.Tensor):
    o = torch.empty(3, dtype=torch.float64)
    torch.add(a, b, out=o)
    return o * 2


def example():
    return run, (torch.ones(3), torch.ones(3))
