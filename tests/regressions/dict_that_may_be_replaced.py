"""An attribute that is a dictionary, or what another method is given: only a tensor can be cloned."""

import torch


class Factory:
    def __init__(self):
        self._made = {}

    def register(self, name, value):
        self._made[name] = value

    def use(self, made):
        self._made = made

    def get(self, name):
        return self._made[name] * 2


def example():
    factory = Factory()

    def f(x):
        factory.register("x", torch.exp(x))
        return factory.get("x")

    return f, (torch.randn(3, requires_grad=True),)
