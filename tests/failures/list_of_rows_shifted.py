"""A tensor is turned into a list of rows, of which some are changed.

Torch: is a view and is being modified inplace
"""
import torch


def couple(x, k):
    y = torch.sin(x)
    rows = list(y)
    for i in range(1, len(rows)):
        rows[i] += k * rows[i - 1]
    return torch.stack(rows)


def example():
    torch.manual_seed(0)
    return couple, (torch.randn(3, 2, requires_grad=True), torch.tensor(0.3, requires_grad=True))
