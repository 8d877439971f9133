"""A view of either of two rows may be a view of each: it isn't told apart from a row by the way that was walked last."""

import torch


def run(x: torch.Tensor, first: bool):
    y = x * 2
    a = y[0]
    b = y[1]
    row = a if first else b
    flat = row.view(-1)
    seen = y[0]
    saved = flat * flat
    flat += 1
    return seen, saved


def turned(x: torch.Tensor, first: bool):
    y = x * 2
    b = y[1]
    a = y[0]
    row = a if first else b
    flat = row.view(-1)
    seen = y[1]
    saved = flat * flat
    flat += 1
    return seen, saved


def both(x: torch.Tensor, first: bool):
    return run(x, first), turned(x, not first)


def example():
    return both, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True), True)
