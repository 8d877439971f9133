"""A forward hook that scales the module's output.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Probe:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, module, inputs, output):
        output *= self.gain


def build():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    net[1].register_forward_hook(Probe(0.5))
    return net


def example():
    torch.manual_seed(0)
    return build(), (torch.randn(2, 2),)
