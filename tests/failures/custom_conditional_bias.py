"""A convolution of its own, then the bias in place if there is one.

Torch: is a view and is being modified inplace
"""
import torch
import torch.nn as nn


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        ctx.save_for_backward(input, weight)
        return input.mm(weight.t()).view(-1)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        g = grad_output.view(input.shape[0], -1)
        return g.mm(weight), g.t().mm(input)


class MyLinear(nn.Module):
    def __init__(self, i, o, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i))
        self.bias = nn.Parameter(torch.randn(1)) if bias else None

    def forward(self, x):
        out = LinearFunction.apply(x, self.weight)
        if self.bias is not None:
            out += self.bias
        return out


def example():
    torch.manual_seed(0)
    return MyLinear(2, 3), (torch.randn(2, 2, requires_grad=True),)
