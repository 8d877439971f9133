"""One of two calls passes an argument on, which callers further out may read: the helper goes on writing it."""

import torch


def _scaled(h: torch.Tensor):
    e = h.exp()
    h *= 2
    return e * h


def run(x: torch.Tensor, held: torch.Tensor):
    inner = x * 2
    first = _scaled(inner)
    second = _scaled(held)
    return first, second, inner


def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True), torch.ones(2, 2))
