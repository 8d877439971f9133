"""What the inner handlers don't catch reaches the outer one, with the names as they were at that point."""

import torch


def f(x: torch.Tensor):
    a = x.exp()
    y = x.sin()
    try:
        try:
            y = a
            int("a")
            y = x.cos()
        except TypeError:
            pass
    except ValueError:
        y += 1
    return a, y * 1


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
