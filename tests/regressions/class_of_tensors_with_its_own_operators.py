"""Where a class of tensors defines an operation anew, a rebound tensor would be computed by its method, or not by it."""

import torch


class Plus(torch.Tensor):
    def __add__(self, other):
        return torch.add(self, 2 * other)


class Times(torch.Tensor):
    def __imul__(self, other):
        return super().mul_(other).add_(1)

    def clamp_(self, low):
        return super().clamp_(low).add_(1)


def shift(x: torch.Tensor):
    y = torch.sigmoid(x)
    y += 1
    return y.as_subclass(torch.Tensor)


def scale(x: torch.Tensor):
    y = torch.sigmoid(x)
    y *= 2
    z = y.exp()
    z.clamp_(1)
    return y.as_subclass(torch.Tensor) * z.as_subclass(torch.Tensor)


def run(x: torch.Tensor):
    y = x.exp().as_subclass(Plus)
    y += 1
    return shift(x.as_subclass(Plus)) + scale(x.as_subclass(Times)) + y.as_subclass(torch.Tensor)


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
