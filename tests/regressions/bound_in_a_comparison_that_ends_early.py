"""What a walrus binds behind the first `<` of a chain isn't taken for bound: the tensor may be the one from before."""

import torch


def written_later(x: torch.Tensor, n: int):
    y = x * 2
    z = y
    if 5 < n < (y := x * 3).shape[0]:
        pass
    y += 1
    return z * y


def read_later(x: torch.Tensor, n: int):
    y = x * 2
    z = y
    z += 1
    if 5 < n < (y := x * 3).shape[0]:
        pass
    return z * y


def run(x: torch.Tensor, n: int):
    return written_later(x, n), read_later(x, n)


def example():
    return run, (torch.tensor([0.5, 1.5], requires_grad=True), 1)
