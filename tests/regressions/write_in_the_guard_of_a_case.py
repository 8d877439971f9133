"""The guard of a `case` writes only when it is asked: nothing of it moves in front of the `match`."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    match 3:
        case 1:
            y = y + 1
        case n if n > 2 and x.exp().add_(1).sum() > 0:
            y = y * 2
    return y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
