"""A property has a setter, which stores a scaled tensor."""

import torch


class Cell:
    def __init__(self, x: torch.Tensor) -> None:
        self._h = x.exp()

    @property
    def h(self) -> torch.Tensor:
        return self._h

    @h.setter
    def h(self, value: torch.Tensor) -> None:
        self._h = value * 2


def f(x: torch.Tensor) -> torch.Tensor:
    cell = Cell(x)
    cell.h.add_(1)
    cell.h += x
    return cell.h * x


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
