"""`e.float()` may be `e` itself, where nothing is known of `e` but that a method of an argument gave it."""

import torch


def f(x, flag):
    e = x.abs()
    base = e.float()
    e.sub_(1)
    e -= base.norm()
    return {"0": base}


def example():
    return f, (torch.tensor([[-0.369, 1.522], [-0.151, -0.2]], requires_grad=True), True)
