"""What a function that `vmap` made returns may be a view of its argument."""

import torch


def first(m):
    return m[0]


def f(x):
    h = torch.exp(x)
    rows = torch.vmap(lambda m: m[0])(h)
    diagonal = torch.vmap(torch.diagonal)(h)
    g = torch.vmap(first)
    again = g(h)
    h *= 2
    return h, rows, diagonal, again


def example():
    return f, (torch.arange(8.0).reshape(2, 2, 2).requires_grad_(),)
