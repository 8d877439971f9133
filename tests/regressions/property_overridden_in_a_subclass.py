"""A subclass has a property of its own, which returns another attribute."""

import torch


class Base:
    def __init__(self, x: torch.Tensor) -> None:
        self._a, self._b = x.exp(), x.tanh()

    @property
    def h(self) -> torch.Tensor:
        return self._a

    def run(self) -> torch.Tensor:
        self.h.add_(1)
        return self._a * self._b


class Derived(Base):
    @property
    def h(self) -> torch.Tensor:
        return self._b


def f(x: torch.Tensor) -> torch.Tensor:
    return Derived(x).run() + Base(x).run()


def example():
    return f, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
