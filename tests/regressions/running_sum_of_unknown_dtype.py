"""A running sum of a tensor of unknown dtype: narrow integers keep theirs in place."""

import torch


def totals(x: torch.Tensor):
    counts = x * 2
    counts.cumsum_(1)
    sums = x * 3
    sums += x.cumsum(1)
    return counts, sums


def example():
    return totals, (torch.tensor([[1, 2], [3, 4]], dtype=torch.int32),)
