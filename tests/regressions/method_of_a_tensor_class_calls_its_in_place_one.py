"""A class of tensors computes `add` by its own `add_`, and `+` by `+=`: out of place, they would call themselves."""

import torch


class Pose(torch.Tensor):
    def add(self, other):
        return self.clone().add_(other)

    def __mul__(self, other):
        y = self.clone()
        y *= other
        return y


def moved(x):
    return torch.Tensor(x.as_subclass(Pose).add(1.0) * 2.0)


def example():
    return moved, (torch.tensor([0.5, -0.25, 1.5], requires_grad=True),)
