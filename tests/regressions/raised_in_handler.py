"""A helper that raises in a handler, with a `finally` that returns: what it wrote before is still seen there."""

import torch


def _shift(h):
    h += 1
    raise ValueError("positive")


def run(x: torch.Tensor):
    y = x * 3
    try:
        raise TypeError
    except TypeError:
        _shift(y)
    finally:
        return y * x


def example():
    return run, (torch.tensor([0.5, 1.5], requires_grad=True),)
