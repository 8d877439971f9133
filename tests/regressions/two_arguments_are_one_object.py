"""Two arguments that may be one object: what one's attribute got was read through the other and written in place."""

import torch


class State:
    def __init__(self):
        self.h = torch.zeros(3)

    def set(self, value):
        self.h = value.sigmoid()


def both_stored(x, w, a: State, b: State):
    a.h = x.sigmoid()
    b.h = w.sigmoid()
    h = a.h
    b.h *= 2
    return h, b.h


def stored_and_read(w, a: State, b: State):
    b.h = w.sigmoid()
    h = a.h
    b.h *= 2
    return h, b.h


def by_methods(x, w, a: State, b: State):
    a.set(x)
    b.set(w)
    h = a.h
    b.h *= 2
    return h, b.h


def run(x, w):
    s = State()
    return [*both_stored(x, w, s, s), *stored_and_read(w, s, s), *by_methods(x, w, s, s)]


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.3, -2.0], requires_grad=True))
