"""A comparator network that swaps neighbours by a tuple assignment into the tensor.

Torch: modified by an inplace operation
"""
import torch


def sort_network(scores):
    x = scores * 2
    n = x.shape[-1]
    for i in range(n):
        for j in range(i % 2, n - 1, 2):
            x[..., j], x[..., j + 1] = torch.minimum(x[..., j], x[..., j + 1]), torch.maximum(x[..., j], x[..., j + 1])
    return x


def example():
    torch.manual_seed(0)
    return sort_network, (torch.randn(2, 4, requires_grad=True),)
