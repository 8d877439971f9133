"""`finally` is reached from the body and from the handler, with different tensors under its names."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    b = y
    try:
        b = y * 2
        int("a")
    except ValueError:
        y = y * 3
    finally:
        y += 1
    return b, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
