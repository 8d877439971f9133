"""`a, *rest = y` binds views of the rows of `y`, which see later writes."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    a, *rest = y
    y += 1
    return rest[0] * y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
