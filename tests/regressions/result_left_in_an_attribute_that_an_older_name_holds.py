"""A method replaces an attribute whose old tensor a name still holds."""

import torch


class Cell:
    def __init__(self, h: torch.Tensor) -> None:
        self.h = h

    def step(self, x: torch.Tensor) -> torch.Tensor:
        self.h = torch.tanh(self.h * x)
        return self.h


def f(x: torch.Tensor) -> torch.Tensor:
    cell = Cell(x.exp())
    old = cell.h
    new = cell.step(x)
    old += 1
    new *= 2
    return old * new + cell.h


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
