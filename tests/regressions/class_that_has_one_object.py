"""Calls of a class that give the same object each time: by `__new__`, a metaclass or a decorator."""

import torch


class One:
    made = None

    def __new__(cls):
        if cls.made is None:
            cls.made = super().__new__(cls)
        return cls.made

    def set(self, value):
        self.h = value.sigmoid()


class Meta(type):
    made = {}

    def __call__(cls):
        if cls not in cls.made:
            cls.made[cls] = super().__call__()
        return cls.made[cls]


class Other(metaclass=Meta):
    def set(self, value):
        self.h = value.sigmoid()


def singleton(cls):
    made = {}

    def get():
        if cls not in made:
            made[cls] = cls()
        return made[cls]

    return get


@singleton
class Third:
    def set(self, value):
        self.h = value.sigmoid()


def by_new(x, w):
    a, b = One(), One()
    a.set(x)
    b.set(w)
    h = a.h
    b.h *= 2
    return h, b.h


def by_metaclass(x, w):
    a, b = Other(), Other()
    a.set(x)
    b.set(w)
    h = a.h
    b.h *= 2
    return h, b.h


def by_decorator(x, w):
    a, b = Third(), Third()
    a.set(x)
    b.set(w)
    h = a.h
    b.h *= 2
    return h, b.h


def run(x, w):
    return [*by_new(x, w), *by_metaclass(x, w), *by_decorator(x, w)]


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.3, -2.0], requires_grad=True))
