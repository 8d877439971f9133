"""A `collections.deque` holds the very tensors that it was made of."""

import collections

import torch


def f(x: torch.Tensor):
    y = x.exp()
    q = collections.deque([y], maxlen=2)
    y += 1
    return q[0], y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
