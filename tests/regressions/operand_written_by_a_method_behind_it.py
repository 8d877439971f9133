"""An operand that a method behind it writes, through the attribute that holds it, was copied before that write."""

import torch


class Carry:
    def __init__(self, h):
        self._h = h

    @property
    def h(self):
        return self._h

    def write(self):
        self.h.clamp_(-1, 1)
        return self.h * self._h


def run(x: torch.Tensor):
    acc = x * x
    for _ in range(2):
        holder = Carry(acc)
        acc = acc * holder.write().sum()
    return acc


def example():
    return run, (torch.tensor([0.5, -1.5, 2.0], requires_grad=True),)
