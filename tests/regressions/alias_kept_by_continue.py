"""After `continue` a name is still the tensor that the next round writes; only the end of the body rebinds it."""

import torch


def f(x: torch.Tensor):
    y = x.exp()
    b = y
    for i in range(3):
        y += 1
        if i == 1:
            continue
        b = y * 2
    return b, y


def example():
    return f, (torch.tensor([[0.5, 1.5], [2.5, 0.7]], requires_grad=True),)
