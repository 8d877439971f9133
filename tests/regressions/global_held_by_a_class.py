"""A class body holds a global tensor."""

import torch

MEAN = torch.zeros(3)


class Norm:
    mean = MEAN

    def __call__(self, x):
        return x - self.mean


def update(x):
    global MEAN
    MEAN += x.detach().mean(0)
    MEAN.mul_(0.5)


def f(x):
    Norm.mean.zero_()
    update(x)
    return Norm()(x)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
