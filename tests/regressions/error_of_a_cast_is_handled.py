"""Integers don't take a float in place, which raises; out of place the sum would be floats."""

import torch


def run(x: torch.Tensor):
    counts = torch.tensor([1, 2])
    try:
        counts += 1.5
    except RuntimeError:
        return x * 2
    return x * counts


def example():
    return run, (torch.tensor([0.5, 1.5], requires_grad=True),)
