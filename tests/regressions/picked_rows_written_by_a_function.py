"""A function writes what an index picks: a copy, or a row."""

import torch


def bump(t):
    t += 1


def f(x):
    y = x.exp()
    i = torch.tensor([0, 1])
    bump(y[i])
    bump(y[0])
    bump(y[x[:, 0] > 0])
    return y


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
