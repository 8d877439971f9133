"""Keyword arguments are handed through and come back: the argument is read after the result is written."""

import torch


def same(x, k=1):
    return x


def call(**kwargs):
    return same(**kwargs)


def f(x):
    h = x * 3
    y = call(x=h)
    y += 1
    return h


def example():
    return f, (torch.tensor([0.5, 1.5], requires_grad=True),)
