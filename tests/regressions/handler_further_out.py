"""An exception may pass the inner `try` and be caught by the outer one, which sees what was bound inside."""

import torch


def check(x):
    if x.sum() > 0:
        raise TypeError("positive")


def run(x: torch.Tensor):
    y = x * 3
    a = x * 2
    try:
        try:
            a = y
            check(x)
            a = x.exp()
        except ValueError:
            a = x.exp()
    except TypeError:
        a += 1
    return y * a


def example():
    return run, (torch.tensor([0.5, 1.5], requires_grad=True),)
