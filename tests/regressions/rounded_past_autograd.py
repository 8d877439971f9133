"""What rounding gives has a graph without a gradient: written through `.data`, it is a straight-through estimator."""

import torch


def quantised(x, w):
    z = x * w
    q = torch.round(z)
    z.data.copy_(q)
    u = x + w
    u.data = torch.sign(u)
    return z * 2 + u


def example():
    return quantised, (torch.tensor([0.4, 1.7], requires_grad=True), torch.tensor([2.0, 3.0], requires_grad=True))
