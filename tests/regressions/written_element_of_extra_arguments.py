"""A function writes what it takes out of `*a`, and the caller reads it afterwards: that is no case for --unsafe."""

import torch


def _doubled(*a):
    t = a[0]
    t *= 2
    return t


def run(x: torch.Tensor):
    hidden = x + 1
    _doubled(hidden)
    return hidden


def example():
    return run, (torch.tensor([0.5, -1.5], requires_grad=True),)
