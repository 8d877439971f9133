"""RealNVP with a boolean mask buffer: the transformed dimensions are stored back by y[:, mask].

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class MaskedCoupling(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("mask", torch.arange(dim) % 2 == 0)
        k = int(self.mask.sum())
        self.scale = nn.Linear(dim - k, k)
        self.shift = nn.Linear(dim - k, k)

    def forward(self, x):
        y = x.tanh()
        cond = y[:, ~self.mask]
        log_s = self.scale(cond).tanh()
        y[:, self.mask] = y[:, self.mask] * log_s.exp() + self.shift(cond)
        return y, log_s.sum(-1)


def example():
    torch.manual_seed(0)
    return MaskedCoupling(4), (torch.randn(2, 4, requires_grad=True),)
