"""A custom function writes its argument, and says so."""

import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def f(x: torch.Tensor) -> torch.Tensor:
    h = x + 1
    y = Double.apply(h)
    y = y + h
    h += 1
    return y * h


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
