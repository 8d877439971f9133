"""What an index picks is a copy: a write to it is lost."""

import torch


def _step(x):
    y = x.exp()
    m = torch.tensor([True, False, True, False])
    y[m] = x[m] * 2
    y[m][0] = 100
    y[m].add_(100)
    return y


def f(x):
    outs = []
    for k in range(2):
        outs.append(_step(x * (k + 1)))
    return outs


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
