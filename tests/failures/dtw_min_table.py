"""Dynamic time warping with a cost table that is filled cell by cell.

Torch: modified by an inplace operation
"""
import torch


def dtw(a, b):
    n, m = len(a), len(b)
    cost = (a[:, None] - b[None, :]) ** 2
    D = torch.full((n + 1, m + 1), 1e4)
    D[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best = torch.min(torch.min(D[i - 1, j], D[i, j - 1]), D[i - 1, j - 1])
            D[i, j] = cost[i - 1, j - 1] + best
    return D[n, m]


def example():
    torch.manual_seed(0)
    return dtw, (torch.randn(3, requires_grad=True), torch.randn(4, requires_grad=True))
