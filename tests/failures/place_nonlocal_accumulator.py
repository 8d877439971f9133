"""A nested function declares its accumulator nonlocal and adds to it in place.

Torch: modified by an inplace operation
"""
import torch


def tree_sum(values, w):
    acc = torch.zeros(2)
    total = torch.tensor(0.0)

    def visit(i):
        nonlocal acc, total
        if i >= len(values):
            return
        acc += torch.tanh(values[i] * w)
        total = total + (acc ** 2).sum()
        visit(2 * i + 1)
        visit(2 * i + 2)

    visit(0)
    return total


def example():
    torch.manual_seed(0)
    return tree_sum, (list(torch.randn(3, 2)), torch.tensor(0.8, requires_grad=True))
