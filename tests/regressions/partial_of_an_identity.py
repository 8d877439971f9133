"""A partial calls a function that returns its argument, which is read after the result is written."""

from functools import partial

import torch


def scaled(x, k):
    return x * k if k != 1 else x


once = partial(scaled, k=1)


def f(x):
    h = x * 3
    y = once(h)
    y += 1
    return h


def example():
    return f, (torch.tensor([0.5, 1.5], requires_grad=True),)
