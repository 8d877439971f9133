"""`contextlib.suppress` skips the rebinding of `b`: behind it `b` is still the tensor that was written."""

import contextlib

import torch


def f(x: torch.Tensor):
    y = x.exp()
    b = y
    with contextlib.suppress(ValueError):
        y += 1
        int("a")
        b = y * 2
    return b


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
