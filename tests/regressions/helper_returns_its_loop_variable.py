"""A helper returns what its loop ended with: an element of the tuple that it was given."""

import torch


def last(xs):
    for t in xs:
        pass
    return t


def f(x: torch.Tensor):
    y = x.exp()
    z = last((x, y))
    y += 1
    return z * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
