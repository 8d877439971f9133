"""A view of what `contiguous()` gave is a view of a copy, which doesn't follow the tensor that it was made from."""

import torch


def run(x):
    c = x.exp()
    v = c.t().contiguous().t()
    c /= 2
    return v


def example():
    return run, (torch.tensor([[0.3, -0.9, 0.4], [-1.7, 1.2, -1.4]], requires_grad=True),)
