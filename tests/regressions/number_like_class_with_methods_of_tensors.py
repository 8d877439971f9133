"""A class that one calculates with, and whose methods are named like those of tensors: `+=` binds a new object."""

import torch


class Value:
    def __init__(self, d):
        self.d = d

    def exp(self):
        return Value(self.d.exp())

    def sigmoid(self):
        return Value(self.d.sigmoid())

    def __mul__(self, other):
        return Value(self.d * getattr(other, "d", other))

    def __add__(self, other):
        return Value(self.d + getattr(other, "d", other))


def of_arguments(v, w):
    h = v.sigmoid()
    a = h
    y = h.exp()
    h += 1
    h *= w
    return [value.d for value in (a, h, y)]


def of_elements(values):
    made = [value.exp() for value in values]
    first = made[0]
    first += 1
    return [first.d, *(value.d for value in made)]


def run(x, w):
    return [*of_arguments(Value(x), Value(w)), *of_elements([Value(x), Value(w)])]


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.3, -2.0], requires_grad=True))
