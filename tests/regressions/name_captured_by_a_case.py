"""A pattern binds a name to the tensor, which sees the write in the body."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    match (y, 1):
        case (a, _):
            y += 1
            return a * 1


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
