"""`return b` inside a `with` of its own class reads the alias after the write."""

import contextlib

import torch


@contextlib.contextmanager
def ctx(t):
    yield


def f(x: torch.Tensor):
    y = x.exp()
    b = y
    with ctx(1):
        y += 1
        return b


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
