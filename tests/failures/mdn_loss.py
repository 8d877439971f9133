"""A mixture density network; mixture weights and widths are floored in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class MDN(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.pi = nn.Linear(d, k)
        self.mu = nn.Linear(d, k)
        self.sigma = nn.Linear(d, k)

    def forward(self, x, y):
        pi = torch.softmax(self.pi(x), -1)
        pi.clamp_(min=1e-3)
        mu = self.mu(x)
        sigma = torch.exp(self.sigma(x))
        sigma += 1e-3
        lik = pi * torch.exp(-0.5 * ((y[:, None] - mu) / sigma) ** 2) / sigma
        return -lik.sum(-1).log().mean()


def example():
    torch.manual_seed(0)
    return MDN(2, 2), (torch.randn(3, 2), torch.randn(3))
