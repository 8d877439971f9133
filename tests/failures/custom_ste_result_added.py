"""The result of a straight-through rounding gets an offset added in place.

Torch: modified by an inplace operation
"""
import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad


def quantise(x, scale, zero):
    q = Round.apply(x / scale)
    prod = q * q
    q += zero
    return (q * scale).sum() + prod.sum()


def example():
    torch.manual_seed(0)
    return quantise, (torch.randn(3, requires_grad=True), torch.tensor(0.3, requires_grad=True), torch.tensor(1.0))
