"""The function stores its result on the context, where nobody checks versions.

Torch: nothing, the gradient is wrong
"""
import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.out = x.exp()
        return ctx.out

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.out


def log_partition(x):
    e = Exp.apply(x)
    e /= 3.0
    return e.sum()


def example():
    torch.manual_seed(0)
    return log_partition, (torch.randn(3, requires_grad=True),)
