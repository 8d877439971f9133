"""A discriminator with spectral normalisation judges real and fake samples before the backward.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SNLinear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs))
        self.register_buffer("u", torch.randn(outputs))

    def forward(self, x):
        with torch.no_grad():
            v = F.normalize(self.weight.t() @ self.u, dim=0)
            self.u.copy_(F.normalize(self.weight @ v, dim=0))
        sigma = self.u @ self.weight @ v
        return F.linear(x, self.weight / sigma)


class Adversarial(nn.Module):
    def __init__(self):
        super().__init__()
        self.judge = SNLinear(3, 2)

    def forward(self, real, fake):
        return self.judge(fake).mean() - self.judge(real).mean()


def example():
    torch.manual_seed(0)
    return Adversarial(), (torch.randn(4, 3), torch.randn(4, 3))
