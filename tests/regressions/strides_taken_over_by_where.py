"""torch.where() takes the strides of a tensor over, which then asks for a copy or none."""

import torch


def _step(x):
    y = x.exp().t()
    y.tril_()
    z = torch.where(y > 0.5, y, -y)
    c = z.flatten()
    c.mul_(0)
    return z


def f(x):
    outs = []
    for k in range(2):
        outs.append(_step(x * (k + 1)))
    return outs


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
