"""The setter of a property stores something else than the value: the attribute isn't the tensor that it was given."""

import torch


class State:
    def __init__(self, h):
        self._h = h
        self.seen = []

    @property
    def h(self):
        return self._h

    @h.setter
    def h(self, value):
        self._h = value * 2
        self.seen.append(value)


def run(x, w):
    state = State(x.exp())
    y = (x * w).sigmoid()
    state.h = y
    z = state.h * state.h
    state.h += w
    y += 1
    return [z, y, state.h, *state.seen]


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.3, -2.0], requires_grad=True))
