"""A swish with its own backward saves its input, on which dropout works in place afterwards.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn


class SwishImplementation(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        ctx.save_for_backward(i)
        return i * torch.sigmoid(i)

    @staticmethod
    def backward(ctx, grad_output):
        i = ctx.saved_tensors[0]
        s = torch.sigmoid(i)
        return grad_output * (s * (1 + i * (1 - s)))


class MemoryEfficientSwish(nn.Module):
    def forward(self, x):
        return SwishImplementation.apply(x)


class MBConv(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.expand = nn.Linear(d, d)
        self.act = MemoryEfficientSwish()

    def forward(self, x):
        h = self.expand(x)
        a = self.act(h)
        h *= 0.1
        return (a + h).sum()


def example():
    torch.manual_seed(0)
    return MBConv(2), (torch.randn(2, 2),)
