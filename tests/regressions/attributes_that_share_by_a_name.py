"""Two attributes are views of one local tensor."""

import torch


class Net:
    def __init__(self, x):
        h = x * 1
        v = h[:, 0]
        self.h = h
        self.col = v

    def step(self):
        self.h += 1
        return self.col * 1, self.h


def f(x):
    return Net(x).step()


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
