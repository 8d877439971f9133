"""An attribute holds a view of another one in a dictionary."""

import torch


class Net:
    def __init__(self, x):
        self.base = x * 1
        self.parts = {"a": self.base, "b": self.base.t()}

    def step(self):
        self.base += 1
        return self.parts["a"], self.parts["b"] * 1


def f(x):
    return Net(x).step()


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
