"""`return y` has read `y` when `finally` writes it: rebinding the name would come too late."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    try:
        return y
    finally:
        y += 1


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
