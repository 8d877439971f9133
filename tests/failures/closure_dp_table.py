"""A needleman-wunsch style score table filled by a nested function.

Torch: modified by an inplace operation
"""
import torch


def align(sim, gap):
    n, m = sim.shape
    table = torch.zeros(n + 1, m + 1)

    def fill(i, j):
        match = table[i - 1, j - 1] + sim[i - 1, j - 1]
        skip = torch.logaddexp(table[i - 1, j], table[i, j - 1]) + gap
        table[i, j] = torch.logaddexp(match, skip)

    for i in range(1, n + 1):
        for j in range(1, m + 1):
            fill(i, j)
    return table[-1, -1]


def example():
    torch.manual_seed(0)
    return align, (torch.randn(2, 3, requires_grad=True), torch.tensor(-0.5, requires_grad=True))
