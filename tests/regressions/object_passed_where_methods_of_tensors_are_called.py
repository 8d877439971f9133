"""A function is called with objects of own classes, whose methods come from elsewhere: what it writes is no tensor."""

import torch


class Lazy:
    def __init__(self, t):
        self.t = t

    def __getattr__(self, name):
        return lambda *sizes: self

    def __iadd__(self, other):
        self.t = self.t + other
        return self


class Engine:
    def __init__(self):
        self.total = 0

    def backward(self, loss):
        self.total = self.total + loss

    def __iadd__(self, other):
        self.total = self.total + other
        return self


def flat(v):
    w = v.view(1, -1)
    v += 1
    return w.t


def stepped(engine, loss):
    engine.backward(loss)
    same = engine
    engine += loss
    return same.total


def made(x):
    return Lazy(x)


def run(x: torch.Tensor):
    v = made(x)
    w = v.sqrt()
    v += 1
    return flat(Lazy(x)), stepped(Engine(), x.exp()), w.t


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
