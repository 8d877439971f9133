"""Dynamic routing between capsules with a softmax written out and normalised in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


def squash(s, dim=-1):
    n2 = (s ** 2).sum(dim, keepdim=True)
    return n2 / (1 + n2) * s / torch.sqrt(n2 + 1e-8)


class Capsules(nn.Module):
    def __init__(self, n_in, n_out, d_in, d_out, iters=2):
        super().__init__()
        self.W = nn.Parameter(torch.randn(n_in, n_out, d_out, d_in))
        self.iters = iters

    def forward(self, u):
        u_hat = torch.einsum("iodk,bik->biod", self.W, u)
        b = torch.zeros(u_hat.shape[:3])
        for _ in range(self.iters):
            c = torch.exp(b)
            c /= c.sum(dim=2, keepdim=True)
            v = squash((c.unsqueeze(-1) * u_hat).sum(dim=1))
            b += (u_hat * v.unsqueeze(1)).sum(-1)
        return v


def example():
    torch.manual_seed(0)
    return Capsules(2, 2, 2, 2), (torch.randn(1, 2, 2),)
