"""A stack of context managers handles the error of a write."""

import contextlib

import torch


def f(x):
    h = x.exp()
    done = 0
    with contextlib.ExitStack() as s:
        s.enter_context(contextlib.suppress(RuntimeError))
        h += torch.ones(2, 3)
        done = 1
    return h, done


def example():
    return f, (torch.arange(3.0).requires_grad_(),)
