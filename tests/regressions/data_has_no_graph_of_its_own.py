"""`x.data.tanh_()` saves nothing, because autograd doesn't see it: it was stored into `x`, which may be a leaf."""

import torch


def scale(x, buffer):
    e = buffer
    x.data = e
    x.data.tanh_()
    e *= 2


def run(x, buffer):
    scale(x, buffer)
    return x * 3, buffer


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.3, -2.0]))
