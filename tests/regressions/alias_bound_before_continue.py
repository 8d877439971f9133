"""A name bound right before `continue` keeps that round's tensor: later rounds write one made anew."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    b = x.sin()
    for i in range(3):
        y = y * 1.0
        if i == 1:
            b = y
            continue
        y += 1
    return b, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
