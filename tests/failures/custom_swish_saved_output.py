"""A memory-saving activation saves its result, which the residual connection overwrites.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class SigmoidFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = 1 / (1 + torch.exp(-i))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result * (1 - result)


class Gate(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)

    def forward(self, x):
        g = SigmoidFn.apply(self.fc(x))
        g += x
        return g


def example():
    torch.manual_seed(0)
    return Gate(2), (torch.randn(2, 2),)
