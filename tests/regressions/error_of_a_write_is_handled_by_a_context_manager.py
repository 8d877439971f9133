"""A context manager of the file handles the error of a write."""

import contextlib

import torch


@contextlib.contextmanager
def quiet():
    try:
        yield
    except RuntimeError:
        pass


def f(x):
    h = x.exp()
    done = 0
    with quiet():
        h += torch.ones(2, 3)
        done = 1
    return h, done


def example():
    return f, (torch.arange(3.0).requires_grad_(),)
