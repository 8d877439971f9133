"""A generator of the file asks for the strides of what it gets, which `cumsum` doesn't keep."""

import torch


def strides(t):
    yield t.detach().numpy().strides


def run(x):
    e = (x + 0).t()
    e.cumsum_(0)
    return next(strides(e))


def example():
    return run, (torch.tensor([[-1.0, 0.3, 0.6], [-1.8, 1.1, 1.4]], requires_grad=True),)
