"""The constructor stores a dictionary of Python's own library, which no clone can be made of."""

import weakref

import torch


class Known:
    def __init__(self, parts=list):
        self._known = weakref.WeakKeyDictionary()
        self.parts = parts

    def count(self, model):
        if model not in self._known:
            self._known[model] = self.parts()
        return len(self._known)


def run(x):
    net = torch.nn.Linear(2, 2)
    return x * Known().count(net)


def example():
    return run, (torch.tensor([0.5, -1.0], requires_grad=True),)
