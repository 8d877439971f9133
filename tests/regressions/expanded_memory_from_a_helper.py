"""A helper returns expanded memory, where one store writes several elements: the tensor isn't cloned for it."""

import torch


def make(x: torch.Tensor):
    return torch.eye(2).expand(3, 2, 2)


def run(x: torch.Tensor):
    m = make(x)
    y = m * x
    m[0, 0] = 1.0
    return m, y


def example():
    return run, (torch.tensor([0.5, -1.5], requires_grad=True),)
