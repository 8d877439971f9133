"""A check replaces NaNs before it counts how many values are large.

Torch: modified by an inplace operation
"""
import torch
import torch.nn.functional as F

stats = {"large": 0}


def check(t, limit=3.0):
    t[torch.isnan(t)] = 0
    stats["large"] += int((t.abs() > limit).sum())


def nll(x, w):
    p = F.softplus(x @ w)
    out = p.log().sum() + (p * p).sum()
    check(p)
    return out


def example():
    torch.manual_seed(0)
    return nll, (torch.randn(3, 2), torch.randn(2, 2, requires_grad=True))
