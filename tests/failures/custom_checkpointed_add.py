"""The result of a function that returns its second argument unchanged is accumulated into.

Torch: is a view and is being modified inplace
"""
import torch


class Barrier(torch.autograd.Function):
    @staticmethod
    def forward(ctx, token, x):
        return token.clone(), x

    @staticmethod
    def backward(ctx, gt, gx):
        return gt, gx


def pipeline(x, ws):
    token = torch.zeros(1)
    acc = torch.tanh(x)
    for w in ws:
        token, acc = Barrier.apply(token, acc)
        acc += torch.sigmoid(x @ w)
    return acc.sum() + token.sum()


def example():
    torch.manual_seed(0)
    return pipeline, (torch.randn(2, 2, requires_grad=True), [torch.randn(2, 2, requires_grad=True) for _ in range(2)])
