"""What holds an attribute is found again by its expression: under an assumption that says so, and never by default."""

import torch
from torch import nn


class Cell(nn.Module):
    cells = []

    def __init__(self):
        super().__init__()
        Cell.cells.append(self)

    def forward(self, x):
        self.h = x.exp()
        return self.h * 1

    @classmethod
    def forget(cls):
        for i in range(len(cls.cells)):
            cls.cells[i].h.detach_()

    @classmethod
    def scale(cls, k):
        for i in range(len(cls.cells)):
            cls.cells[i].h *= k


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.twin = self.cell

    def forward(self, x: torch.Tensor):
        y = self.cell(x)
        g = self.cell.h
        self.cell.h.mul_(x)
        self.twin.h += x
        Cell.scale(2)
        return (y * self.cell.h).sum() + g.sum()


def run(x: torch.Tensor):
    Cell.cells.clear()
    net = Holder()
    out = net(x)
    Cell.forget()
    return out + net(x)


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
