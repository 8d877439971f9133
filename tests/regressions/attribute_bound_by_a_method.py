"""A method puts another tensor into the attribute: the name taken from it before isn't bound with it."""

import torch
from torch import nn


class M(nn.Module):
    def set(self, t):
        self.c = t

    def forward(self, x: torch.Tensor):
        self.c = x.exp()
        z = self.c
        self.set(x.sin())
        self.c += 1
        return z * self.c


def example():
    torch.manual_seed(0)
    return M(), (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
