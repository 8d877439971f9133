"""Both halves of an exponential are scaled by gains of their own.

Torch: modified by an inplace operation
"""
import torch


def bands(x, a, b):
    n = x.shape[-1] // 2
    e = torch.exp(x)
    e[..., :n] *= a
    e[..., n:] *= b
    return e / e.sum(-1, keepdim=True)


def example():
    torch.manual_seed(0)
    return bands, (torch.randn(2, 4, requires_grad=True), torch.tensor(0.5, requires_grad=True), torch.rand(2))
