"""Rows with weights, enumerated over a zip.

Torch: is a view and is being modified inplace
"""
import torch


def reweight(x, weights, bias):
    z = x.exp()
    total = 0
    for i, (row, w) in enumerate(zip(z, weights)):
        row *= w
        row += bias * i
        total = total + row.sum()
    return z, total


def example():
    torch.manual_seed(0)
    return reweight, (torch.randn(2, 3, requires_grad=True), torch.rand(2), torch.tensor(0.5, requires_grad=True))
