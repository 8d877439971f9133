"""A number of an attribute that a method counts up under a local name stays what it was in the attribute."""

import torch


class Scaled:
    def __init__(self, length, channels):
        self.length = length[0] if isinstance(length, tuple) else length
        self.channels = channels
        if length:
            channels += 2
        self.width = channels

    def __call__(self, x):
        length = self.length
        if x.dim() == 2:
            length *= 1.5
        return torch.sin(x * length) * self.channels


def run(x):
    scaled = Scaled(2.0, 3)
    return scaled(x) + scaled(x) * scaled.width


def example():
    return run, (torch.tensor([[0.3, -0.8]], dtype=torch.float64, requires_grad=True),)
