"""Inside of a custom backward the incoming gradient is scaled in place.

Torch: nothing, the gradient is wrong
"""
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x * k

    @staticmethod
    def backward(ctx, grad_output):
        grad_output *= ctx.k
        return grad_output, None


def both(x):
    y = x * 1.0
    z = y.view(-1)
    return Scale.apply(y, 3.0) + z


def example():
    torch.manual_seed(0)
    return both, (torch.randn(3, requires_grad=True),)
