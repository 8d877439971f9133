"""Rows drawn from an iterator are changed one after the other.

Torch: is a view and is being modified inplace
"""
import torch


def cascade(h, gains):
    rows = list(torch.sigmoid(h))
    prev = None
    for row, g in zip(rows, gains):
        row *= g
        if prev is not None:
            row += prev * prev
        prev = row
    return torch.stack(rows).sum()


def example():
    torch.manual_seed(0)
    return cascade, (torch.randn(3, 2, requires_grad=True), torch.randn(3, requires_grad=True))
