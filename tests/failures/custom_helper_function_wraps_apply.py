"""A helper wraps the function; its caller multiplies the result, a view, in place.

Torch: is a view and is being modified inplace
"""
import torch


class ScaleGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, scale):
        ctx.scale = scale
        return input.view_as(input)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.scale, None


def scale_grad(x, scale=1.0):
    return ScaleGrad.apply(x, scale)


def logits(x, w, temperature):
    out = scale_grad(x @ w)
    out *= temperature
    out[:, 0] -= 1.0
    return out.exp().sum()


def example():
    torch.manual_seed(0)
    return logits, (torch.randn(2, 2), torch.randn(2, 2, requires_grad=True), torch.tensor(0.5, requires_grad=True))
