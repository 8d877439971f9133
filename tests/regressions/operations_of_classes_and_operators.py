"""In-place operations called through `torch.Tensor`, `operator`, dunder names, `map` and `reduce` were not seen."""

import functools
import operator

import torch


def run(x: torch.Tensor):
    y = x.exp()
    torch.Tensor.add_(y, 1)
    z = x.tanh()
    operator.iadd(z, y)
    w = x.sigmoid()
    w.__imul__(2)
    hs = [x.exp(), x.sigmoid()]
    list(map(torch.relu_, hs))
    gs = [x.tanh(), x.exp()]
    total = functools.reduce(torch.Tensor.add_, gs)
    n = operator.iadd(1, 2)
    return y + z + w + hs[0] * hs[1] + total * gs[0] * n + reduced(x)


def reduced(x: torch.Tensor):
    ys = [x.exp(), x.tanh()]
    functools.reduce(operator.iadd, ys)
    return ys[0] * x


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
