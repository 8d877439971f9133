"""`box + y` calls the method of a class, which may return `y` itself: no new memory."""

import torch


class Box:
    def __init__(self, h):
        self.h = h

    def __radd__(self, o):
        return o

    def __add__(self, o):
        return o


def f(x: torch.Tensor):
    b = Box(1)
    y = x.exp()
    z = b + y
    y += 1
    return z * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
