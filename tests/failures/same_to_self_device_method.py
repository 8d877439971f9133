"""A method moves its input to the module's device and then shifts it.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class Denoiser(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Linear(d, d)
        self.register_buffer("offset", torch.ones(d))

    def preprocess(self, x):
        x = x.to(self.offset.device)
        x += self.offset
        return self.net(x)

    def forward(self, z):
        z = torch.exp(z * 0.5)
        return self.preprocess(z).pow(2).sum()


def example():
    torch.manual_seed(0)
    return Denoiser(2), (torch.randn(2, 2, requires_grad=True),)
