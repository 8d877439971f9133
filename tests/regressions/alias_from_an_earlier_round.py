"""A name bound in an earlier round still is the tensor that later rounds write."""

import torch


def f(x: torch.Tensor):
    h = x.exp()
    prev = h
    for i in range(3):
        if i % 2:
            prev = h
            h = h * 1.5
        h += 1
    return h, prev


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
