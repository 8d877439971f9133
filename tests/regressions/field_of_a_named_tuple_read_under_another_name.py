"""A function writes a field of the named tuple that it gets, and its caller reads the tensor under its own name."""

from collections import namedtuple

import torch

Record = namedtuple("Record", ["h", "c"])


def step(s, k):
    h = s.h
    h.sub_(k)
    return h


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    mix = x * 2
    s = mix.cos()
    holder = Record(mix, s)
    step(holder, 2)
    return mix, s


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
