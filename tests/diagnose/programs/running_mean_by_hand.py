# cause: buffer, fix: safe
import torch
from torch import nn


class Whitening(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(4))
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        out = x * self.weight / self.scale  # victim
        self.scale.mul_(0.9).add_(0.1)  # culprit
        return out


whitening = Whitening()
whitening(torch.rand(2, 4)).sum().backward()
