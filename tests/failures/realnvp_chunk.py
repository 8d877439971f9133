"""An affine coupling layer which scales and shifts one half of chunk() in place.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class AffineCoupling(nn.Module):
    def __init__(self, channels, hidden=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(channels // 2, hidden), nn.Tanh(), nn.Linear(hidden, channels))

    def forward(self, x):
        x1, x2 = x.chunk(2, 1)
        s, t = self.net(x1).chunk(2, 1)
        s = torch.tanh(s)
        x2 *= s.exp()
        x2 += t
        return torch.cat([x1, x2], dim=1), s.sum(1)


class Flow(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.mix = nn.Linear(channels, channels, bias=False)
        self.coupling = AffineCoupling(channels)

    def forward(self, x):
        z, logdet = self.coupling(self.mix(x))
        return 0.5 * z.pow(2).sum(1) - logdet


def example():
    torch.manual_seed(0)
    return Flow(4), (torch.randn(3, 4),)
