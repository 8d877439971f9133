"""A name bound right before `break` holds the tensor that is written behind the loop."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    b = None
    for i in range(3):
        y += 1
        if i == 1:
            b = y
            break
        b = y * 2
    y += 1
    return b, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
