"""Stores by `operator.setitem` and `__setitem__`, and in-place functions held by `partial`, were not in the report."""

import functools
import operator

import torch


def run(x: torch.Tensor):
    a = x.exp()
    operator.setitem(a, 0, 1.0)
    b = x.tanh()
    b.__setitem__(0, x[1])
    c = x.sigmoid()
    put = c.__setitem__
    put(1, x[0])
    hs = [x.exp()]
    functools.partial(torch.relu_, hs[0])()
    d = x.exp()
    torch.Tensor.__setitem__(d, slice(0, 2), x[1:])
    bump = d.__iadd__
    bump(1)
    rows = [x]
    operator.setitem(rows, 0, x * 2)
    return a + b + c + d + hs[0] + rows[0]


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
