"""Pieces put together for one write are cut again for a lambda that writes another one later."""

import torch


def run(x: torch.Tensor):
    u = torch.tanh(x)
    row, rest = u.tensor_split(2)
    rest += rest
    center_ = lambda *ts: [t.mul_(2) for t in ts]
    center_(row)
    return u


def example():
    return run, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
