"""An object that torch's functions take for a tensor is none: `moved += 1` calls its own method."""

import torch


class Diagonal:
    def __init__(self, values):
        self.values = values

    def clone(self):
        return Diagonal(self.values.clone())

    def __iadd__(self, other):
        self.values = self.values + other
        return self

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return args[0].clone() if func is torch.clone else NotImplemented


def shifted(operator):
    moved = torch.clone(operator)
    moved += 1.0
    return moved.values


def example():
    functions = {"shifted": shifted}

    def run(x):
        return functions["shifted"](Diagonal(x.exp()))

    return run, (torch.tensor([0.5, 1.5], requires_grad=True),)
