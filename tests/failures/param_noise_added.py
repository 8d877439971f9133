"""Noise is added to all weights of a network before it is evaluated.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class Noisy(nn.Module):
    def __init__(self, net, sigma):
        super().__init__()
        self.net = net
        self.sigma = sigma

    def perturb(self):
        for name, p in self.net.named_parameters():
            if "weight" in name:
                p.add_(torch.randn(p.size()) * 0.1)

    def forward(self, x):
        self.perturb()
        return self.net(x)


def example():
    torch.manual_seed(0)
    return Noisy(nn.Sequential(nn.Linear(2, 2), nn.Tanh()), 0.1), (torch.randn(3, 2),)
