"""What a method returns is no longer in the attribute that its `finally` clause replaces."""

import torch


class Cell:
    def __init__(self, h):
        self.h = h

    def step(self, w):
        try:
            self.h = self.h @ w
            return self.h
        finally:
            self.h = self.h.exp()


class Moving:
    def __init__(self, h):
        self.h = h
        self.before = None

    def step(self):
        self.before = self.h
        self.h = torch.sigmoid(self.h)

    def swap(self):
        self.h, self.before = self.before, self.h


def run(x, w):
    cell = Cell(x * 1)
    y = cell.step(w)
    y += 1
    cell.h *= y
    moving = Moving(x * 2)
    moving.step()
    moving.swap()
    moving.h *= 2
    moving.before += 1
    return y, cell.h, moving.h, moving.before


def example():
    torch.manual_seed(0)
    return run, (torch.rand(2, 2, requires_grad=True), torch.rand(2, 2, requires_grad=True))
